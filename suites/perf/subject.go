package perf

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/reports"
)

// Subject is what one side runs.
type Subject struct {
	Stack clusters.Stack
	// Version of Kubernetes; empty means that of Options.
	Version string
	// Programs are paths of those that run in place of the stack's, by the names of the
	// processes, as in clusters.Config.
	Programs map[string]string
}

// Describe says what the subject is, as "stock v1.36.4, kube-scheduler is mine
// (sha256:0123456789ab)": files of one name are told apart by what is in them.
func (s Subject) Describe() (string, error) {
	text := s.Stack.String()
	if s.Version != "" {
		text += " " + s.Version
	}
	for _, name := range slices.Sorted(maps.Keys(s.Programs)) {
		digest, err := reports.ProgramDigest(s.Programs[name])
		if err != nil {
			return "", fmt.Errorf("read what runs as %s: %w", name, err)
		}
		text += fmt.Sprintf(", %s is %s (%.19s)", name, filepath.Base(s.Programs[name]), digest) // "sha256:" and 12 digits
	}
	return strings.TrimSpace(text), nil
}
