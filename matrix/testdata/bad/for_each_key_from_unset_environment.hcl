experiment "e" {}
locals { k = env("INTENTLAB_TEST_UNSET") }
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "m" {
  for_each = { (local.k) = 1 }
  uses     = "majority"
}
