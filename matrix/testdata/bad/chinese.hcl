experiment "e" {}
dataset "指尖" {
  format = "fingertip"
  path   = "数据/${var.文件夹}"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
