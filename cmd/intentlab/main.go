// Command intentlab runs experiment matrices for early intent prediction: an HCL file in, tables
// out. README.md is the manual; `intentlab docs` prints the language.
package main

import (
	"context"
	"os"
)

func main() { os.Exit(run(context.Background(), processEnv())) }
