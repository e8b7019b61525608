experiment "e" {}
variable "data" {
  type    = strng
  default = "x"
}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
