experiment "e" { seeds = [var.n] }
variable "n" {
  default   = 1
  sensitive = true
}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
  limit  = var.n
  split { seed = var.n }
}
ablation "full_context" {}
method "majority" { uses = "majority" }
endpoint "e" {
  base_url = "http://a/${var.n}"
  provider = "p${var.n}"
}
