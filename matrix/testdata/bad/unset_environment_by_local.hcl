experiment "e" {}
locals { folder = env("INTENTLAB_TEST_UNSET") }
dataset "d" {
  format = "episodes"
  path   = "${local.folder}/d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
