experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
  judges = [judge.chfr]
}
ablation "full_context" {}
method "majority" { uses = "majority" }
judge "chrf" { uses = "lexical" }
