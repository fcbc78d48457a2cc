package perf

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
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
		digest, err := digestOf(s.Programs[name])
		if err != nil {
			return "", fmt.Errorf("read what runs as %s: %w", name, err)
		}
		text += fmt.Sprintf(", %s is %s (sha256:%s)", name, filepath.Base(s.Programs[name]), digest[:12])
	}
	return strings.TrimSpace(text), nil
}

func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
