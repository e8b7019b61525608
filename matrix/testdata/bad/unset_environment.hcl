experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "${env("INTENTLAB_TEST_UNSET")}/d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
