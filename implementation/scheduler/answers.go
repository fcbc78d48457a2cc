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

package scheduler

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/lru"

	"github.com/dra-conformance/dratest/implementation/allocator"
	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/state"
)

// demand is a pod's demand, with the cached answers for equal pods.
type demand struct {
	*allocator.Demand
	names   []string // claim names, by index
	answers *answers
}

// newDemand prepares claims for the allocator. An error concerns the pod.
func (pl *Plugin) newDemand(claims []*resourceapi.ResourceClaim) (*demand, error) {
	prepared, err := allocator.NewDemand(claims, pl.allocatorConfig())
	if err != nil {
		return nil, err
	}
	d := &demand{Demand: prepared}
	if !slices.ContainsFunc(claims, hasAlternatives) { // Score needs the full result.
		shape, err := pl.shapeOf(claims)
		if err != nil {
			return nil, err
		}
		d.answers = pl.answersFor(shape)
		for _, claim := range claims {
			d.names = append(d.names, claim.Namespace+"/"+claim.Name)
		}
	}
	return d, nil
}

func hasAlternatives(claim *resourceapi.ResourceClaim) bool {
	return slices.ContainsFunc(claim.Spec.Devices.Requests, func(r resourceapi.DeviceRequest) bool { return len(r.FirstAvailable) > 0 })
}

// shapeOf encodes the allocator's input from claims without alternatives, except their names. Claims
// from one template have the same shape.
func (pl *Plugin) shapeOf(claims []*resourceapi.ResourceClaim) (string, error) {
	var shape []byte
	for _, claim := range claims {
		devices := claim.Spec.Devices
		devices.Config = nil // only for the driver
		data, err := devices.Marshal()
		if err != nil {
			return "", fmt.Errorf("encode claim %s: %w", claim.Name, err)
		}
		shape = binary.AppendUvarint(shape, uint64(len(data)))
		shape = append(shape, data...)
		for i := range devices.Requests {
			class, err := pl.dra.DeviceClasses().Get(devices.Requests[i].Exactly.DeviceClassName)
			if err != nil {
				return "", fmt.Errorf("look up class: %w", err)
			}
			shape = fmt.Appendf(shape, "%s/%s;", class.UID, class.ResourceVersion)
		}
	}
	return string(shape), nil
}

// maxShapes bounds the shapes with cached answers: some 100 bytes per shape and existing node.
const maxShapes = 32

// answersFor returns the answers for a shape, nil at its first appearance: many claims are unique.
func (pl *Plugin) answersFor(shape string) *answers {
	known, seen := pl.shapes.Get(shape)
	if !seen {
		pl.shapes.Add(shape, (*answers)(nil))
		return nil
	}
	a := known.(*answers)
	if a == nil {
		a = newAnswers()
		pl.shapes.Add(shape, a)
	}
	return a
}

func newShapes() *lru.Cache { return lru.New(maxShapes) }

// answers are the allocator's answers for one shape by node name. A pod changes the use of devices on
// one node, so the next pod of the shape needs a new answer for this node only.
//
// No event removes the answers of a deleted node, but they do not keep it alive. Whenever new names
// have doubled the number of answers, answers of deleted nodes are swept. There are never more than
// twice as many answers as the highest number of concurrent nodes.
type answers struct {
	nodes sync.Map
	count atomic.Int64
	// sweepAt is the number of answers at the next sweep.
	sweepAt atomic.Int64
}

// minSweep is the minimum number of answers worth a sweep.
const minSweep = 64

func newAnswers() *answers {
	a := &answers{}
	a.sweepAt.Store(minSweep)
	return a
}

// put replaces the answer for a node.
func (a *answers) put(name string, known *answer) {
	if _, replaced := a.nodes.Swap(name, known); replaced {
		return
	}
	count, limit := a.count.Add(1), a.sweepAt.Load()
	if count > limit && a.sweepAt.CompareAndSwap(limit, math.MaxInt64) { // only one goroutine sweeps
		a.sweep()
		a.sweepAt.Store(max(minSweep, 2*a.count.Load()))
	}
}

// sweep removes the answers for deleted or changed nodes.
func (a *answers) sweep() {
	a.nodes.Range(func(name, value any) bool {
		if value.(*answer).node.Value() == nil && a.nodes.CompareAndDelete(name, value) {
			a.count.Add(-1)
		}
		return true
	})
}

// answer is valid while the node has the same devices with the same use.
type answer struct {
	node weak.Pointer[inventory.Node]
	uses []*state.PoolUse
	// reason is nil if the claims fit. Its claim is given by this index.
	reason *allocator.Reason
	claim  int
	// distance of the devices, if the claims fit.
	distance int
}

// known returns the cached answer for a node: the distance if the claims fit, otherwise the reason.
func (d *demand) known(node *inventory.Node, used *state.Snapshot) (distance int, reason *allocator.Reason, ok bool) {
	if d.answers == nil {
		return 0, nil, false
	}
	value, ok := d.answers.nodes.Load(node.Name)
	if !ok {
		return 0, nil, false
	}
	known := value.(*answer)
	if known.node.Value() != node {
		return 0, nil, false
	}
	for i, pool := range node.Pools {
		if used.Pool(pool.ID) != known.uses[i] {
			return 0, nil, false
		}
	}
	if known.reason == nil {
		return known.distance, nil, true
	}
	why := *known.reason
	why.Claim = d.names[known.claim]
	return 0, &why, true
}

// learn caches the allocator's answer.
func (d *demand) learn(node *inventory.Node, used *state.Snapshot, result allocator.Result) {
	if d.answers == nil {
		return
	}
	known := &answer{node: weak.Make(node), uses: make([]*state.PoolUse, len(node.Pools))}
	if !result.Fits() {
		if known.reason = result.Reason(); known.reason == nil {
			return
		}
		known.claim = slices.Index(d.names, known.reason.Claim)
		if known.claim < 0 {
			return // no claim to blame
		}
	} else {
		known.distance = result.Distance()
	}
	for i, pool := range node.Pools {
		known.uses[i] = used.Pool(pool.ID)
	}
	d.answers.put(node.Name, known)
}
