experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
endpoint "e" {
  base_url   = "http://a"
  api_key    = [1]
  headers    = { a = null }
  extra_body = 1
}
