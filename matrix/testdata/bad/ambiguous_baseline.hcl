experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "knn" {
  for_each = { k1 = 1, k5 = 5 }
  uses     = "tfidf_knn"
  k        = each.value
}
matrix {
  baseline = { open = method.knn }
}
