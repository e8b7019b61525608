package predictors

var wlKernelKind = Kind{
	Name:    "wl_kernel",
	Summary: "nearest training graphs by the Weisfeiler-Lehman subtree kernel",
	Doc: `Counts Weisfeiler-Lehman subtree features of the visible graph (iterations 0..h, edge types and
directions included) and lets the k training episodes of greatest normalised kernel
k(G,G')/sqrt(k(G,G)·k(G',G')) vote on the closed label, each with that value; the confidence is the sum of
the winner's votes over the number of voters. An episode is one neighbour, by the nearest of its prefixes.
The open answer is the intent of the nearest training episode. An empty graph gets the prior of "majority".
A node starts from its type, op, key and speaker, from its value where that is a category (metadata, app,
profile), and an element from its text; other free text is left to the text methods. Under an ablation that hides
strings (graph_structure_only) structure alone is left. Needs a graph; dev is not used.
Source: Shervashidze et al., Weisfeiler-Lehman Graph Kernels, JMLR 12 (2011); metrics-and-judge.md C3 row 8.
Complexity: O(h·|E| log d) to read a graph, then linear in the postings of its features. Memory: 8 bytes a
distinct feature of an example.`,
	Options:       func() any { return &wlKernelOptions{Iterations: 3, K: 1} },
	Needs:         Needs{Graph: true, Training: true},
	Deterministic: true,
	Causal:        true,
	CodeVersion:   1,
	New:           newWLKernel,
}

type wlKernelOptions struct {
	Iterations int `hcl:"iterations,optional" doc:"rounds of Weisfeiler-Lehman relabelling, 0 to 10; 0 counts node labels only"`
	K          int `hcl:"k,optional" doc:"number of nearest training episodes that vote, at least 1"`
}

// Check says which setting is wrong and why.
func (o *wlKernelOptions) Check() map[string]string {
	wrong := checkNeighbours(o.K)
	if o.Iterations < 0 || o.Iterations > 10 {
		wrong["iterations"] = "must lie between 0 and 10"
	}
	return wrong
}

func newWLKernel(s Setup) (Predictor, error) {
	o, err := settings(s, &wlKernelOptions{Iterations: 3, K: 1})
	if err != nil {
		return nil, err
	}
	return &neighbourVote{indexLearner{space: wlSpace(o.Iterations)}, o.K}, nil
}
