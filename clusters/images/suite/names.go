package suite

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

const (
	// Run is the image of dratest itself, without a tag.
	Run = "dra-conformance.github.io/dratest"
	// Sim is the image of the test driver's agents.
	Sim = "dra-conformance.github.io/dra-sim:1"
	// Busybox is what cases' pods run.
	Busybox = "dra-conformance.github.io/busybox:1"
)

// RunAt is the image of a version of dratest.
func RunAt(version string) string {
	return Run + ":" + strings.NewReplacer("+", "-", "(", "", ")", "").Replace(version)
}

// In is the name of an image in another registry, which may have a path of its own; an
// empty registry changes nothing.
func In(registry, ref string) (string, error) {
	if registry == "" {
		return ref, nil
	}
	parsed, err := name.ParseReference(ref)
	if err != nil {
		return "", fmt.Errorf("read the image's name %s: %w", ref, err)
	}
	separator := ":"
	if _, ok := parsed.(name.Digest); ok {
		separator = "@"
	}
	mapped := strings.TrimSuffix(registry, "/") + "/" + parsed.Context().RepositoryStr() + separator + parsed.Identifier()
	if _, err := name.ParseReference(mapped); err != nil {
		return "", fmt.Errorf("registry %s cannot have image %s: %w", registry, ref, err)
	}
	return mapped, nil
}
