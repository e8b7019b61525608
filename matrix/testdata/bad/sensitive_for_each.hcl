experiment "e" {}
variable "t" {
  default   = { a = 1 }
  sensitive = true
}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "m" {
  for_each = var.t
  uses     = "majority"
}
