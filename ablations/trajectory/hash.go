package trajectory

import (
	"fmt"

	"intentlab/ablations/task"
)

// Hash identifies the content of an episode: the lower-case hex SHA-256 of its canonical JSON
// without the dataset's name, so that a renamed dataset block keeps its data identity.
func (e Episode) Hash() (string, error) {
	e.Dataset = ""
	h, err := task.Hash(e)
	if err != nil {
		return "", fmt.Errorf("hash episode %s: %w", e.ID, err)
	}
	return h, nil
}
