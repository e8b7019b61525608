experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
endpoint "lab" {
  base_url = "127.0.0.1:8000"
  timeout  = "soon"
}
