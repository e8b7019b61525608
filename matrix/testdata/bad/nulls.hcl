experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "x" {
  uses = "tfidf_knn"
  k    = null
}
method "y" { uses = null }
method "z" {
  uses    = "command"
  command = ["a", null]
  env     = { a = null }
}
method "s" {
  uses  = "stratified_prior"
  seeds = null
}
method "f" {
  for_each = null
  uses     = "majority"
}
judge "j" {
  uses = "lexical"
  lo   = null
}
matrix {
  datasets = null
  baseline = null
}
