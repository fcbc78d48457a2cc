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

// demand is what a pod asks for, with what is known already of pods that ask for
// the same.
type demand struct {
	*allocator.Demand
	names   []string // of the claims, as allocator.Reason has them
	answers *answers
}

// newDemand prepares claims for the allocator. The error is for the pod.
func (pl *Plugin) newDemand(claims []*resourceapi.ResourceClaim) (*demand, error) {
	prepared, err := allocator.NewDemand(claims, pl.allocatorConfig())
	if err != nil {
		return nil, err
	}
	d := &demand{Demand: prepared}
	if !slices.ContainsFunc(claims, hasAlternatives) { // Score needs the result itself.
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

// shapeOf spells out all that the allocator looks at in claims without alternatives,
// but for their names. Claims made from one template have the same shape.
func (pl *Plugin) shapeOf(claims []*resourceapi.ResourceClaim) (string, error) {
	var shape []byte
	for _, claim := range claims {
		devices := claim.Spec.Devices
		devices.Config = nil // is for the driver
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

// maxShapes bounds for how many shapes answers are kept: some 100 bytes for each
// node that pods of the shape were tried on and that is still there.
const maxShapes = 32

// answersFor returns the answers for a shape, nil when it is asked for the first
// time: many claims are the only ones of their kind.
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

// answers is what the allocator said of nodes for one shape, by name of the node.
// One pod changes the use of devices on one node, so that the next one of its kind
// has new questions about that node only.
//
// Nobody tells the answers that a node is gone. But they keep no node alive, and
// those of nodes that are gone are swept out when new names have doubled the number
// of answers: with nodes that come and go there are at most twice as many answers as
// there were nodes at a time.
type answers struct {
	nodes sync.Map
	count atomic.Int64
	// sweepAt is the count at which answers for nodes that are gone are removed.
	sweepAt atomic.Int64
}

// minSweep is the number of answers below which nothing is worth removing.
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
	if count > limit && a.sweepAt.CompareAndSwap(limit, math.MaxInt64) { // One goroutine sweeps.
		a.sweep()
		a.sweepAt.Store(max(minSweep, 2*a.count.Load()))
	}
}

// sweep removes the answers for nodes that are gone or have changed.
func (a *answers) sweep() {
	a.nodes.Range(func(name, value any) bool {
		if value.(*answer).node.Value() == nil && a.nodes.CompareAndDelete(name, value) {
			a.count.Add(-1)
		}
		return true
	})
}

// answer holds for as long as the node has the same devices, used in the same way.
type answer struct {
	node weak.Pointer[inventory.Node]
	uses []*state.PoolUse
	// reason is nil if the claims fit. Its claim is that with this index.
	reason *allocator.Reason
	claim  int
	// distance is that of the devices, if the claims fit.
	distance int
}

// known returns what is known of a node: if the claims fit, how far their devices are, and
// if they do not, why.
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

// learn remembers what the allocator said.
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
			return // There is no claim to blame.
		}
	} else {
		known.distance = result.Distance()
	}
	for i, pool := range node.Pools {
		known.uses[i] = used.Pool(pool.ID)
	}
	d.answers.put(node.Name, known)
}
