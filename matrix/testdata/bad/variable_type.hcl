experiment "e" {}
variable "data" {
  type    = number
  default = "many"
}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
