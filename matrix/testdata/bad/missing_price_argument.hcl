experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
endpoint "lab" {
  base_url = "http://127.0.0.1"
  price {
    inputs = 1
  }
}
