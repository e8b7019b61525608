experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "m" {
  uses    = "command"
  command = ["python3", "m.py"]
  inputs  = ["absent.py"]
}
