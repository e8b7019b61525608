package runners

import (
	"fmt"

	"intentlab/matrix"
	"intentlab/runners/predictors"
)

// Missing says in one sentence each which programs and scripts that methods start aren't there, among
// the methods of the cells to run for which only returns true; nil takes all.
func (g *Engine) Missing(only func(Cell) bool) []string {
	needed := map[int]bool{}
	for _, c := range g.Cells {
		if c.State == matrix.CellRun && (only == nil || only(c)) {
			needed[c.Method] = true
		}
	}
	var out []string
	for i, m := range g.Exp.Methods {
		o, ok := m.Options.(predictors.Launcher)
		if !ok || !needed[i] {
			continue
		}
		if err := predictors.CheckCommand(o.Launch(), g.Exp.Dir, predictors.CommandEnv(o.Launch(), g.getenv)); err != nil {
			out = append(out, fmt.Sprintf("method %s: %v", m.ID, err))
		}
	}
	return out
}
