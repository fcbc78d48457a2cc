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

package classic

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	allocated    = "Allocated"
	modeDelayed  = "WaitForFirstConsumer"
	modeAtOnce   = "Immediate"
	suffix       = "/deletion-protection" // of the finalizer, after the driver's name
	untilCleared = "GC of kube-controller-manager looks for new kinds of objects every 30 s (cmd/kube-controller-manager/app/core.go, startGarbageCollectorController)"
)

// needs returns the needs of all cases: dra-scheduler is for the newest release.
func needs(nodes int) spec.Needs {
	return spec.Needs{NoKubelet: true, Companions: []spec.Companion{classicdra.Companion}, Nodes: nodes, Since: "1.37"}
}

// addsNodes adds the needs of cases with added simulated nodes.
func addsNodes(n spec.Needs) spec.Needs {
	n.Companions = []spec.Companion{whatif.Companion, classicdra.Companion}
	return n
}

// choice is an option of a claim in addition to its class; nil is none.
type choice map[string]any

// atOnce requests immediate allocation.
var atOnce = choice{"allocationMode": modeAtOnce}

// claim returns a claim for one resource of a class.
func claim(name, class string, chosen choice) *resourceapi.ResourceClaim {
	made := objects.Claim(name, objects.Request("req", class))
	if chosen != nil {
		made.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{classicdra.ClaimConfig(chosen)}
	}
	return made
}

// parameters creates a ConfigMap for the driver, and has a claim refer to it.
func parameters(t *harness.T, name string, data map[string]string) choice {
	t.Create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data})
	return refer(name)
}

// refer has a claim refer to a ConfigMap.
func refer(name string) choice {
	return choice{"parametersRef": map[string]any{"kind": "ConfigMap", "name": name}}
}

// referTo has a claim refer to an object of a kind defined by the case.
func referTo(kind classicdra.Kind, name string) choice {
	return choice{"parametersRef": map[string]any{"apiGroup": classicdra.ParametersGroup, "kind": kind.Kind, "name": name}}
}

// users limits the number of pods of a claim, -1 for any number.
func users(t *harness.T, limit int) choice {
	return parameters(t, fmt.Sprintf("users%d", limit), map[string]string{"userLimit": fmt.Sprint(limit)})
}

// place returns the node of a claim's device, its pool name.
func place(c *resourceapi.ResourceClaim) string {
	if c.Status.Allocation == nil || len(c.Status.Allocation.Devices.Results) != 1 {
		return ""
	}
	return c.Status.Allocation.Devices.Results[0].Pool
}

// reserved reports whether a claim is reserved for exactly these pods, in any order.
func reserved(c *resourceapi.ResourceClaim, pods ...string) bool {
	var names []string
	for _, r := range c.Status.ReservedFor {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return slices.Equal(names, pods)
}

// held reports whether the driver has its finalizer on a claim.
func held(c *resourceapi.ResourceClaim, d *classicdra.Program) bool {
	return slices.Contains(c.Finalizers, d.Name()+suffix)
}

// answered reports whether drivers have answered for these claims of a pod with a selected node.
func answered(claims ...string) func(*classicdra.PodScheduling) bool {
	return func(s *classicdra.PodScheduling) bool {
		return s != nil && s.SelectedNode != "" && !slices.ContainsFunc(claims, func(name string) bool {
			_, ok := s.UnsuitableNodes[name]
			return !ok
		})
	}
}

// selected reports whether a PodScheduling has this node selected, none for "".
func selected(node string) func(*classicdra.PodScheduling) bool {
	return func(s *classicdra.PodScheduling) bool { return s != nil && s.SelectedNode == node }
}

// suits makes a node the only suitable one of a ResourceClass.
func suits(node string) func(class map[string]any) {
	return func(class map[string]any) {
		class["suitableNodes"] = map[string]any{"nodeSelectorTerms": []any{map[string]any{"matchFields": []any{
			map[string]any{"key": "metadata.name", "operator": "In", "values": []any{node}}}}}}
	}
}

// exists reports whether there is a PodScheduling.
func exists(s *classicdra.PodScheduling) bool { return s != nil }
func none(s *classicdra.PodScheduling) bool   { return s == nil }

// unallocated expects a claim not to be allocated now.
func unallocated(t *harness.T, name string) {
	if c := t.Claim(name); c.Status.Allocation != nil {
		t.Fatalf("claim %s is allocated: %+v", name, c.Status.Allocation)
	}
}
