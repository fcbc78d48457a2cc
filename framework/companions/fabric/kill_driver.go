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

package fabric

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/faults"
	"github.com/dra-conformance/dratest/framework/spec"
)

// driverAway is the downtime of a killed driver: longer than the idle time of devices, so some come and go meanwhile,
// and its slices become wrong.
const driverAway = 5 * time.Second

// patience bounds the wait for a driver with work to do. With all devices in use there is none for minutes; killing
// an idle driver is useful, too.
const patience = 10 * time.Second

// killDriver kills a node's driver, if possible while a device comes or goes, and restarts it after a while. The
// nodes take turns.
type killDriver struct {
	soak *Soak
	last string
}

// Name implements soak.Fault.
func (*killDriver) Name() string { return "kill " + fabricDriver }

// drivers are those of a fabric's nodes.
type drivers interface {
	TurnDriver(node string, on bool) error
	// DriverAsked is the time of the last request of a node's driver to the fabric.
	DriverAsked(node string) time.Time
}

// Do returns once the driver has sent a request to the fabric again, so the next kill hits a working one.
func (k *killDriver) Do(ctx context.Context, target soak.Target) error {
	all, ok := k.soak.fabric.(drivers)
	if !ok || len(k.soak.nodes) == 0 {
		return errors.New("the fabric has no drivers on nodes")
	}
	node, err := k.choose(ctx, target)
	if err != nil {
		return fmt.Errorf("wait for a node where a device comes or goes: %w", err)
	}
	if err := all.TurnDriver(node, false); err != nil {
		return errors.Join(err, all.TurnDriver(node, true))
	}
	k.last = node
	if err := faults.Sleep(ctx, driverAway); err != nil {
		return errors.Join(err, all.TurnDriver(node, true)) // the final audit needs it
	}
	begun := time.Now()
	if err := all.TurnDriver(node, true); err != nil {
		return err
	}
	return faults.AwaitWork(ctx, "the driver of node "+node+" to ask the fabric", func() (bool, error) { return all.DriverAsked(node).After(begun), nil })
}

// choose waits for the first node, after the last one, with a device coming or going, and falls back to the next
// node.
func (k *killDriver) choose(ctx context.Context, target soak.Target) (node string, err error) {
	nodes := slices.Sorted(slices.Values(k.soak.nodes))
	next := slices.Index(nodes, k.last) + 1
	nodes = slices.Concat(nodes[next:], nodes[:next])
	err = wait.PollUntilContextTimeout(ctx, faults.Pause, patience, true, func(ctx context.Context) (bool, error) {
		devices, err := k.soak.fabric.Devices(ctx)
		if err != nil {
			return false, err
		}
		published, err := faults.PublishedSlices(ctx, target)
		if err != nil {
			return false, err
		}
		busy := changing(devices, published)
		i := slices.IndexFunc(nodes, busy.Has)
		if i >= 0 {
			node = nodes[i]
		}
		return i >= 0, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return nodes[0], nil
	}
	return node, err
}

// changing returns the nodes with a device on its way, or a driver with outdated slices.
func changing(devices map[string]spec.FabricDevice, published []resourceapi.ResourceSlice) sets.Set[string] {
	type place struct{ node, device string }
	is, listed := sets.New[place](), sets.New[place]()
	busy := sets.New[string]()
	for id, d := range devices {
		switch {
		case d.Elsewhere:
		case d.Phase == "Attached":
			is.Insert(place{d.Node, id})
		case d.Node != "":
			busy.Insert(d.Node)
		}
	}
	for _, slice := range published {
		for _, d := range slice.Spec.Devices {
			if node := ptr.Deref(slice.Spec.NodeName, ""); node != "" {
				listed.Insert(place{node, d.Name})
			}
		}
	}
	for p := range is.SymmetricDifference(listed) {
		busy.Insert(p.node)
	}
	return busy
}
