experiment "e" {}
variable "t" {
  default   = "x"
  sensitive = true
}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
endpoint "e" {
  base_url   = "http://a"
  extra_body = { token = var.t }
}
