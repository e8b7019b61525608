experiment "e" {}
variable "limit" {
  default = -1
  validation {
    condition     = var.limit > 0
    error_message = "The limit must be positive."
  }
}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
