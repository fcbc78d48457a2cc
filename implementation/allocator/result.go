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

package allocator

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// Result is the outcome of Allocate.
type Result struct {
	fits   bool
	demand *Demand
	node   *inventory.Node
	picks  []pick
	chosen [][]int
	reason *Reason
}

// Fits reports whether all claims can get their devices.
func (r Result) Fits() bool { return r.fits }

// Reason explains why the claims do not fit, nil if they do.
func (r Result) Reason() *Reason { return r.reason }

// Subrequest returns the index of the chosen firstAvailable alternative, 0 for other requests. claim
// and request are indexes into NewDemand's input.
func (r Result) Subrequest(claim, request int) int {
	if r.chosen == nil {
		return 0
	}
	return r.chosen[claim][request]
}

// Distance is the sum of the devices' distances from the node: 0 if all are local.
func (r Result) Distance() int {
	sum := 0
	for _, p := range r.picks {
		sum += int(r.node.Devices[p.device].Distance)
	}
	return sum
}

// result copies the outcome out of the run's memory.
func (s *search) result() Result {
	r := Result{fits: true, demand: s.Demand, node: s.Node, picks: slices.Clone(s.picks)}
	if s.Demand.listed {
		r.chosen = slices.Clone(s.chosen) // the run reuses its lists
	}
	return r
}

// Allocations returns the claims' status.allocation in the order of the demand's claims. newShareID
// creates the share IDs of devices with multiple allocations.
func (r Result) Allocations(newShareID func() types.UID) []resourceapi.AllocationResult {
	out := make([]resourceapi.AllocationResult, len(r.demand.claims))
	for i := range out {
		var picks []pick
		for _, p := range r.picks {
			if p.subrequest.claim == i {
				picks = append(picks, p)
			}
		}
		out[i].Devices.Results = make([]resourceapi.DeviceRequestAllocationResult, 0, len(picks))
		for _, p := range picks {
			out[i].Devices.Results = append(out[i].Devices.Results, r.device(p, newShareID))
		}
		out[i].Devices.Config = r.config(i)
		out[i].NodeSelector = r.nodeSelector(picks)
	}
	return out
}

func (r Result) device(p pick, newShareID func() types.UID) resourceapi.DeviceRequestAllocationResult {
	device := r.node.Devices[p.device]
	out := resourceapi.DeviceRequestAllocationResult{
		Request:     p.subrequest.name,
		Driver:      device.ID.Driver,
		Pool:        device.ID.Pool,
		Device:      device.ID.Device,
		Tolerations: p.subrequest.tolerations,
	}
	features := r.demand.config.Features
	if p.subrequest.admin {
		out.AdminAccess = new(true)
	}
	if multiple := device.Spec.AllowMultipleAllocations; features.ConsumableCapacity && multiple != nil && *multiple {
		id := newShareID()
		out.ShareID = &id
		if len(p.taken) > 0 {
			out.ConsumedCapacity = make(map[resourceapi.QualifiedName]resource.Quantity, len(p.taken))
		}
		for name := range device.Spec.Capacity {
			if q, ok := p.taken[inventory.LocalName(device.ID.Driver, name)]; ok {
				out.ConsumedCapacity[name] = q.DeepCopy()
			}
		}
	}
	if features.DeviceBindingAndStatus {
		out.BindingConditions = device.Spec.BindingConditions
		out.BindingFailureConditions = device.Spec.BindingFailureConditions
	}
	return out
}

// config collects the configuration of the classes (each class once), then of the claim. A list naming
// all requests is left empty, with the same meaning.
func (r Result) config(claim int) []resourceapi.DeviceAllocationConfiguration {
	cd := &r.demand.claims[claim]
	var out []resourceapi.DeviceAllocationConfiguration
	type span struct{ start, end int }
	classes := map[string]span{}
	for i := range cd.requests {
		a := cd.requests[i].alternatives[r.Subrequest(claim, i)]
		if known, ok := classes[a.class.Name]; ok {
			for k := known.start; k < known.end; k++ {
				out[k].Requests = append(out[k].Requests, a.name)
			}
			continue
		}
		start := len(out)
		for _, config := range a.class.Spec.Config {
			out = append(out, resourceapi.DeviceAllocationConfiguration{
				Source:              resourceapi.AllocationConfigSourceClass,
				Requests:            []string{a.name},
				DeviceConfiguration: config.DeviceConfiguration,
			})
		}
		classes[a.class.Name] = span{start, len(out)}
	}
	for _, config := range cd.claim.Spec.Devices.Config {
		if len(config.Requests) == 0 || r.concerns(claim, config.Requests, slices.ContainsFunc[[]requestDemand]) {
			out = append(out, resourceapi.DeviceAllocationConfiguration{
				Source:              resourceapi.AllocationConfigSourceClaim,
				Requests:            config.Requests,
				DeviceConfiguration: config.DeviceConfiguration,
			})
		}
	}
	for i := range out {
		if len(out[i].Requests) > 0 && r.concerns(claim, out[i].Requests, every[requestDemand]) {
			out[i].Requests = nil
		}
	}
	return out
}

func every[T any](s []T, is func(T) bool) bool {
	return !slices.ContainsFunc(s, func(v T) bool { return !is(v) })
}

// concerns reports whether names include some or every request of the claim, by its own name or the
// name of its chosen alternative.
func (r Result) concerns(claim int, names []string, quantifier func([]requestDemand, func(requestDemand) bool) bool) bool {
	i := -1
	requests := r.demand.claims[claim].requests
	return quantifier(requests, func(request requestDemand) bool {
		i++
		return slices.Contains(names, request.name) || request.listed && slices.Contains(names, request.alternatives[r.Subrequest(claim, i)].name)
	})
}

// nodeSelector limits where the claim is usable: this node if a device is local to it, otherwise the
// union of the devices' requirements, nil without limits.
func (r Result) nodeSelector(picks []pick) *corev1.NodeSelector {
	var term corev1.NodeSelectorTerm
	for _, p := range picks {
		device := r.node.Devices[p.device]
		nodeName, selector := selection(device)
		if nodeName != nil || device.Spec.BindsToNode != nil && *device.Spec.BindsToNode {
			return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchFields: []corev1.NodeSelectorRequirement{{
					Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{r.node.Name},
				}},
			}}}
		}
		if selector != nil && len(selector.NodeSelectorTerms) == 1 {
			term.MatchFields = merge(term.MatchFields, selector.NodeSelectorTerms[0].MatchFields)
			term.MatchExpressions = merge(term.MatchExpressions, selector.NodeSelectorTerms[0].MatchExpressions)
		}
	}
	if len(term.MatchFields) == 0 && len(term.MatchExpressions) == 0 {
		return nil
	}
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}
}

// selection returns the node selection of a device: its own or its slice's.
func selection(device *inventory.Device) (nodeName *string, selector *corev1.NodeSelector) {
	if perDevice := device.Slice.Spec.PerDeviceNodeSelection; perDevice != nil && *perDevice {
		return device.Spec.NodeName, device.Spec.NodeSelector
	}
	return device.Slice.Spec.NodeName, device.Slice.Spec.NodeSelector
}

// recordable rejects devices whose node selector does not fit in an allocation: the requirements of
// several terms cannot be merged. The API forbids such selectors.
func (r Result) recordable() error {
	for i := range r.demand.claims {
		for _, p := range r.picks {
			if p.subrequest.claim != i {
				continue
			}
			nodeName, selector := selection(r.node.Devices[p.device])
			if bound := r.node.Devices[p.device].Spec.BindsToNode; nodeName != nil || bound != nil && *bound {
				break
			}
			if selector != nil && len(selector.NodeSelectorTerms) > 1 {
				return nodeError{fmt.Errorf("create NodeSelector for claim %s: %w", r.demand.claims[i].name, termsError(len(selector.NodeSelectorTerms)))}
			}
		}
	}
	return nil
}

// termsError is a number of terms other than one.
type termsError int

func (n termsError) Error() string {
	return fmt.Sprintf("unsupported ResourceSlice.NodeSelector with %d terms", int(n))
}

// merge adds missing requirements.
func merge(to, from []corev1.NodeSelectorRequirement) []corev1.NodeSelectorRequirement {
	for _, requirement := range from {
		values := sets.New(requirement.Values...)
		if !slices.ContainsFunc(to, func(other corev1.NodeSelectorRequirement) bool {
			return other.Key == requirement.Key && other.Operator == requirement.Operator && values.Equal(sets.New(other.Values...))
		}) {
			to = append(to, requirement)
		}
	}
	return to
}
