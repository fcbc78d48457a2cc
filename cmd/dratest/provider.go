package main

import (
	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
)

// clusterProvider makes the clusters of runs. PLACEHOLDER: to be wired to kind.
func clusterProvider(_ *progress.Printer) clusters.Provider { return nil }
