experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
endpoint "lab" { base_url = "http://127.0.0.1" }
method "m" {
  uses     = "chat"
  endpoint = endpoint.lob
  model    = "x"
}
