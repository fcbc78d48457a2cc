package testbed

import (
	"maps"
	"slices"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

// withMadeRunning does the same for the components themselves, of which nothing is known
// but whose they are and their version.
func withMadeRunning(seen []spec.Component, made clusters.Cluster) []spec.Component {
	all := slices.Clone(seen)
	for _, component := range clusters.Components() {
		whose := made.Stack.Of(component)
		there := slices.ContainsFunc(seen, func(c spec.Component) bool { return c.Name == component })
		if !there && component != spec.Kubelet && (whose == clusters.Stock || whose == clusters.Own) {
			all = append(all, spec.Component{Name: component, Program: component, Version: made.Version, Whose: spec.Whose(whose)})
		}
	}
	return all
}

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

// Unseen are the names of Kubernetes' own components that run as processes of a cluster
// which was made for this testbed: whoever opens that by its kubeconfig cannot see them.
func (b *Testbed) Unseen() []string {
	var names []string
	for _, component := range clusters.Components() {
		if b.made.Provider == clusters.ProviderControlPlane && b.made.Stack.Of(component) == clusters.Stock {
			names = append(names, component)
		}
	}
	return names
}
