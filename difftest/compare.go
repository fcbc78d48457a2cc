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

package difftest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/framework/problem"
)

// Difference is a disagreement of two allocators about a node.
type Difference struct {
	// Node is its index in the problem.
	Node int
	// What is a short description without names, most likely the same for the same cause.
	What     string
	Own      Answer
	Upstream Answer
	// Oracle is the violation in own's answer if the oracle refutes it.
	Oracle string
}

// Compare returns the first difference between the answers of two allocators, or nil. It does not
// compare nodes with an upstream timeout (see worker.unanswered), error texts or share IDs.
func Compare(own, upstream []Answer) *Difference {
	for i := range upstream {
		if upstream[i].Kind == TooSlow {
			continue
		}
		if what := differ(own[i], upstream[i]); what != "" {
			return &Difference{Node: i, What: what, Own: own[i], Upstream: upstream[i]}
		}
	}
	return nil
}

func differ(own, upstream Answer) string {
	if own.Kind == NodeError && upstream.Kind == PodError && strings.Contains(upstream.Err.Error(), cause(own.Err)) {
		// Upstream rejects all nodes because of one (kubernetes#141214, #141829).
		return ""
	}
	if own.Kind != upstream.Kind {
		return fmt.Sprintf("own: %s, upstream: %s", own.Kind, upstream.Kind)
	}
	if own.Kind == Crash {
		return "both crash"
	}
	if own.Kind != Fits {
		return ""
	}
	if len(own.Allocations) != len(upstream.Allocations) {
		return "number of allocations"
	}
	ids := sets.New[types.UID]()
	for i := range own.Allocations {
		if what := differInAllocation(&own.Allocations[i], &upstream.Allocations[i], ids); what != "" {
			return what
		}
	}
	return ""
}

// cause is the text of the innermost error: upstream words the others differently.
func cause(err error) string {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err.Error()
}

// differInAllocation compares one claim's allocation; ids collects the share IDs.
func differInAllocation(own, upstream *resourceapi.AllocationResult, ids sets.Set[types.UID]) string {
	a, b := own.Devices.Results, upstream.Devices.Results
	if len(a) != len(b) {
		return "number of devices"
	}
	for i := range a {
		switch {
		case a[i].Driver != b[i].Driver || a[i].Pool != b[i].Pool || a[i].Device != b[i].Device:
			return "devices"
		case a[i].Request != b[i].Request:
			return "request of a device"
		case (a[i].ShareID == nil) != (b[i].ShareID == nil):
			return "presence of a share ID"
		case a[i].ShareID != nil && ids.Has(*a[i].ShareID):
			return "share ID used twice"
		case a[i].ShareID != nil:
			ids.Insert(*a[i].ShareID)
		}
		x, y := a[i], b[i]
		x.ShareID, y.ShareID = nil, nil
		x.ConsumedCapacity, y.ConsumedCapacity = problem.LocalNames(x.Driver, x.ConsumedCapacity), problem.LocalNames(y.Driver, y.ConsumedCapacity)
		if !same(x, y) {
			return "details of a device"
		}
	}
	switch {
	case !same(own.Devices.Config, upstream.Devices.Config):
		return "configuration"
	case !same(own.NodeSelector, upstream.NodeSelector):
		return "node selector"
	}
	x, y := *own, *upstream
	x.Devices, y.Devices = resourceapi.DeviceAllocationResult{}, resourceapi.DeviceAllocationResult{}
	if !same(x, y) {
		return "rest of the allocation"
	}
	return ""
}

// same compares the API representations.
func same[T any](a, b T) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && string(x) == string(y)
}
