/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package testbed

import (
	"maps"
	"slices"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

// withMadeRunning adds the components running as processes of a control plane, with known provenance and version
// only. Elsewhere they are pods, visible to a probe or not, and an invisible component excuses nothing.
func withMadeRunning(seen []spec.Component, made clusters.Cluster) []spec.Component {
	all := slices.Clone(seen)
	if made.Provider != clusters.ProviderControlPlane {
		return all
	}
	for _, component := range clusters.Components() {
		whose := made.Stack.Of(component)
		there := slices.ContainsFunc(seen, func(c spec.Component) bool { return c.Name == component })
		if there || component == spec.Kubelet || whose != spec.Stock && whose != spec.Own {
			continue
		}
		c := spec.Component{Name: component, Program: component, Version: made.Version, Whose: whose}
		if c.Whose == spec.Stock {
			c = c.Judge()
		}
		all = append(all, c)
	}
	return all
}

// withMadeGates adds the gates of a scheduler running as a process of a control plane: it is started with those of
// the API server.
func withMadeGates(seen spec.Target, made clusters.Cluster) spec.Target {
	scheduler := made.Stack.Of(spec.Scheduler)
	if made.Provider != clusters.ProviderControlPlane || scheduler != spec.Stock && scheduler != spec.Own || len(seen.SchedulerGates) > 0 {
		return seen
	}
	seen.SchedulerGates, seen.SchedulerGatesUnseen = map[spec.Feature]bool{}, seen.GatesUnseen
	for f, on := range seen.Gates {
		if f.OfScheduler() {
			seen.SchedulerGates[f] = on
		}
	}
	return seen
}

// withMade adds the provider's stack of components invisible to a probe, as processes are, to the observed ones.
func withMade(seen map[string]string, made clusters.Stack) map[string]string {
	all := maps.Clone(seen)
	if all == nil {
		all = map[string]string{}
	}
	for _, component := range clusters.Components() {
		whose := made.Of(component)
		if all[component] == "" && (whose == spec.Stock || whose == spec.Own) {
			all[component] = string(whose)
		}
	}
	return all
}

// Made is the provider's description of the cluster made for this testbed, or of Config.Made; the zero value for
// others.
func (b *Testbed) Made() clusters.Cluster { return b.made }
