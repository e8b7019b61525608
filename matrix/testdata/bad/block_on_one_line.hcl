experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
variable "n" { type = number default = 2 }
method "majority" { uses = "majority" }
