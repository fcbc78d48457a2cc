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

package spec

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/version"
)

func missingFeature(n Needs, target Target) *Skip {
	if n.NoNode {
		target.Nodes = nil // the gates of kubelets do not matter
	}
	for _, f := range n.Features {
		if s := f.Missing(target); s != nil {
			return s
		}
	}
	return nil
}

// Missing is why a target does not serve a feature; nil if it does. A feature with an unknown gate counts as missing,
// under a code of its own.
func (f Feature) Missing(target Target) *Skip {
	gates, unseen := gatesFor(f, target)
	on, known := gates[f]
	if s := offOnKubelet(f, target); s != nil {
		return s
	}
	if s := offInScheduler(f, target); s != nil {
		return s
	}
	switch {
	case on && f.InV1Since() != "":
		return missingVersion(Needs{Since: f.InV1Since(), NoNode: true}, target)
	case on, !known && pastGate(f, target.Kubernetes):
		return nil
	case unseen != "":
		return &Skip{SkipFeatureUnseen, fmt.Sprintf("needs feature %s, and it cannot be seen whether the cluster serves it: %s", f, unseen)}
	case known:
		return &Skip{SkipFeature, fmt.Sprintf("needs feature %s, disabled in the cluster", f)}
	default:
		return &Skip{SkipFeature, fmt.Sprintf("needs feature %s, unknown to Kubernetes %s", f, target.Kubernetes)}
	}
}

// missingOff is about features that must be disabled, or unknown.
func missingOff(n Needs, target Target) *Skip {
	for _, f := range n.Off {
		gates, unseen := gatesFor(f, target)
		switch {
		case gates[f]:
			return &Skip{SkipFeature, fmt.Sprintf("needs feature %s to be off, enabled in the cluster", f)}
		case unseen != "":
			return &Skip{SkipFeature, fmt.Sprintf("needs feature %s to be off, and it cannot be seen whether the cluster serves it: %s", f, unseen)}
		}
	}
	return nil
}

// offOnKubelet is for features of kubelets: older ones have the gate off, or do not know it.
func offOnKubelet(f Feature, target Target) *Skip {
	for _, n := range target.Nodes {
		on, known := n.KubeletGates[f]
		if n.Schedulable && (known && !on || !known && f.OnKubelets() && before(f, n.Kubelet)) {
			return &Skip{SkipFeature, fmt.Sprintf("needs feature %s, disabled in the kubelet of node %s (%s)", f, n.Name, n.Kubelet)}
		}
	}
	return nil
}

// offInScheduler is for schedulers older than the API server, with the gate off by default or unknown. Whether it is set
// explicitly is not known.
func offInScheduler(f Feature, target Target) *Skip {
	server, err := version.ParseGeneric(target.Kubernetes)
	if err != nil || !f.InScheduler() {
		return nil
	}
	for _, c := range target.ComponentsOf(Scheduler) {
		v, err := version.ParseGeneric(c.Version)
		if err != nil || v.Major() != 1 || v.Minor() >= server.Minor() {
			continue
		}
		if stage, _ := f.Stage(v.Minor()); !stage.On {
			return &Skip{SkipFeature, fmt.Sprintf("needs feature %s, off by default in %s", f, c)}
		}
	}
	return nil
}

// before is true for versions without the feature's gate yet.
func before(f Feature, kubelet string) bool {
	v, err := version.ParseGeneric(kubelet)
	if err != nil {
		return false
	}
	_, has := f.Stage(v.Minor())
	return !has
}

// pastGate is true if an unknown gate was removed because the feature can no longer be disabled.
func pastGate(f Feature, kubernetes string) bool {
	v, err := version.ParseGeneric(kubernetes)
	return err == nil && v.Major() == 1 && f.GateRemoved(v.Minor())
}

// gatesFor returns the gates relevant for a feature, of the API server or the scheduler, and why they are unknown.
func gatesFor(f Feature, target Target) (gates map[Feature]bool, unseen string) {
	if f.OfScheduler() {
		return target.SchedulerGates, target.SchedulerGatesUnseen
	}
	return target.Gates, target.GatesUnseen
}

// missingVersion is about the API server, and about kubelets for cases with running pods, since they do not choose
// among nodes.
func missingVersion(needs Needs, target Target) *Skip {
	since := version.MustParseGeneric(needs.Since)
	have, err := version.ParseGeneric(target.Kubernetes)
	if err != nil || !have.AtLeast(since) {
		return &Skip{SkipVersion, fmt.Sprintf("needs Kubernetes %s or newer, the cluster has %s", needs.Since, target.Kubernetes)}
	}
	if needs.NoNode || needs.NoKubelet {
		return nil
	}
	workers := target.Workers()
	for _, c := range target.ComponentsOf(Kubelet) {
		have, err := version.ParseGeneric(c.Version)
		if slices.Contains(workers, c.Node) && err == nil && !have.AtLeast(since) {
			return &Skip{SkipVersion, fmt.Sprintf("needs Kubernetes %s or newer, the kubelet on %s has %s", needs.Since, c.Node, c.Version)}
		}
	}
	return nil
}
