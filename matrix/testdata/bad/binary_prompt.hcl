experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
endpoint "e" { base_url = "http://a" }
method "m" {
  uses     = "chat"
  endpoint = endpoint.e
  model    = "x"
  prompt   = file("../model")
}
