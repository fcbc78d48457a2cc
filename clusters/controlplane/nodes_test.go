package controlplane

import (
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
)

func TestNodesDeclareWhatTheirKubeletsWould(t *testing.T) {
	c := clusters.Config{FeatureGates: map[string]bool{"DRANodeAllocatableResources": true, "DRAOptionalNodeOperations": false, "DRAListTypeAttributes": true}}
	if got, want := node(0, c).Status.DeclaredFeatures, []string{"DRANodeAllocatableResources"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
