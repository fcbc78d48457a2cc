package testbed

import (
	"maps"

	"github.com/dra-conformance/dratest/clusters"
)

// withMade adds to what a probe saw of a cluster's stack what its provider says of
// components that run where a probe does not look, as processes do.
func withMade(seen map[string]string, made clusters.Stack) map[string]string {
	all := maps.Clone(seen)
	if all == nil {
		all = map[string]string{}
	}
	for _, component := range clusters.Components() {
		whose := made.Of(component)
		if all[component] == "" && (whose == clusters.Stock || whose == clusters.Own) {
			all[component] = string(whose)
		}
	}
	return all
}
