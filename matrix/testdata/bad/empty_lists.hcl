experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
matrix {
  methods = []
  exclude {
    ablations = []
    seeds     = []
  }
}
