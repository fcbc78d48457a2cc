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

// driverAway is how long a driver is away that was killed: longer than idle devices stay, so
// that some come and go meanwhile, and what it has published is wrong.
const driverAway = 5 * time.Second

// patience is how long a driver is waited for that has something to do. Where all devices are
// in use none has for minutes; killing one that rests says something, too.
const patience = 10 * time.Second

// killDriver kills the driver of a node, where it can one where a device comes or goes, and
// starts it again after a while. The nodes take turns.
type killDriver struct {
	soak *Soak
	// last is the node whose driver was killed last.
	last string
}

// Name implements soak.Fault.
func (*killDriver) Name() string { return "kill " + fabricDriver }

// drivers are those of a fabric's nodes.
type drivers interface {
	TurnDriver(node string, on bool) error
	// DriverAsked is when the driver of a node has asked the fabric last.
	DriverAsked(node string) time.Time
}

// Do returns once the driver has asked the fabric again, so that the next kill hits one that
// works.
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
		return errors.Join(err, all.TurnDriver(node, true)) // what comes to rest is looked at with it
	}
	begun := time.Now()
	if err := all.TurnDriver(node, true); err != nil {
		return err
	}
	return faults.AwaitWork(ctx, "the driver of node "+node+" to ask the fabric", func() (bool, error) { return all.DriverAsked(node).After(begun), nil })
}

// choose waits for the first node, after the last one, where a device comes or goes. Is there
// none for long, it is the next one.
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

// changing are the nodes to or from which a device is on its way, or whose driver has to
// publish one, or to take one back.
func changing(devices map[string]spec.FabricDevice, published []resourceapi.ResourceSlice) sets.Set[string] {
	type place struct{ node, device string }
	is, says := sets.New[place](), sets.New[place]()
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
				says.Insert(place{node, d.Name})
			}
		}
	}
	for p := range is.SymmetricDifference(says) {
		busy.Insert(p.node)
	}
	return busy
}
