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
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"testing"
	"weak"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/dra-conformance/dratest/implementation/allocator"
	"github.com/dra-conformance/dratest/implementation/inventory"
)

// forgetful disables answers.
func (w *world) forgetful() *world {
	plugin := *w.plugin
	plugin.shapes = newShapes()
	fresh := *w
	fresh.plugin = &plugin
	return &fresh
}

// Cached answers equal the allocator's while pods of a few kinds come and go.
func TestAnswersAreThoseOfTheAllocator(t *testing.T) {
	kinds := []func(name string) *resourceapi.ResourceClaim{
		func(name string) *resourceapi.ResourceClaim { return asking(name, 1) },
		func(name string) *resourceapi.ResourceClaim { return asking(name, 2) },
		func(name string) *resourceapi.ResourceClaim { return asking(name, 1, selecting("false")) },
	}
	objects := []apiruntime.Object{class("class")}
	for i := range 4 {
		objects = append(objects, node(fmt.Sprint("n", i)), slice(fmt.Sprint("n", i), i))
	}
	w := newWorld(t, objects...)
	r := rand.New(rand.NewPCG(1, 1))
	var running []string
	known := 0
	for i := range 60 {
		if len(running) > 0 && r.IntN(3) == 0 {
			last := len(running) - 1
			w.delete(running[last])
			running = running[:last]
		}
		name := fmt.Sprint("claim", i)
		w.create(kinds[r.IntN(len(kinds))](name))
		pod := using(fmt.Sprint("pod", i), name)
		got, want := w.find(pod), w.forgetful().find(pod)
		if got.node != want.node || !maps.Equal(got.rejected, want.rejected) {
			t.Fatalf("pod %d: node %q, rejected %v\nwant: node %q, rejected %v", i, got.node, got.rejected, want.node, want.rejected)
		}
		if got.node == "" {
			continue
		}
		if a, err := attemptOf(got.cycle); err != nil {
			t.Fatal(err)
		} else if fit, _ := a.fitOn(got.node); fit.result == nil {
			known++
		}
		if message := got.bind(); message != "" {
			t.Fatalf("bind pod %d: %s", i, message)
		}
		if len(devicesOf(w.claim(name))) == 0 {
			t.Errorf("pod %d got no device", i)
		}
		running = append(running, name)
	}
	if known == 0 {
		t.Error("no answer was known before")
	}
}

func TestShapeFollowsTheClass(t *testing.T) {
	w := newWorld(t, small()...)
	claims := []*resourceapi.ResourceClaim{w.claim("one")}
	before, err := w.plugin.shapeOf(claims)
	if err != nil {
		t.Fatal(err)
	}
	if other, err := w.plugin.shapeOf([]*resourceapi.ResourceClaim{w.claim("two")}); err != nil || other != before {
		t.Errorf("claims that ask for the same have different shapes (%v)", err)
	}
	changed := class("class", func(c *resourceapi.DeviceClass) {
		c.Spec.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: "false"}}}
	})
	if _, err := w.client.ResourceV1().DeviceClasses().Update(w.ctx, changed, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("shape changes with the class", func() bool {
		after, err := w.plugin.shapeOf(claims)
		return err == nil && after != before
	})
}

// Answers of nodes replaced by an autoscaler, and with them their whole inventory, were never freed.
func TestAnswersForgetNodesThatAreGone(t *testing.T) {
	w := newWorld(t, small()...)
	claims := []*resourceapi.ResourceClaim{w.claim("one")}
	var d *demand
	for range 2 { // nothing is kept for the first pod of a shape
		var err error
		if d, err = w.plugin.newDemand(claims); err != nil {
			t.Fatal(err)
		}
	}
	stays := &inventory.Node{Name: "stays"}
	first := weak.Make(answerFor(t, d, "gone-0"))
	answerForNode(t, d, stays)
	most := 0
	for i := range 20 * minSweep {
		answerFor(t, d, fmt.Sprint("gone-", i+1))
		if i%minSweep == 0 {
			runtime.GC()
		}
		most = max(most, int(d.answers.count.Load()))
	}
	if first.Value() != nil {
		t.Error("a node that is gone is still in memory")
	}
	if limit := 4 * minSweep; most > limit {
		t.Errorf("%d answers were kept, want at most %d", most, limit)
	}
	if _, _, known := d.known(stays, nil); !known {
		t.Error("the answer for a node that is still there was removed")
	}
}

// answerFor learns about a new node without a fit.
func answerFor(t *testing.T, d *demand, name string) *inventory.Node {
	t.Helper()
	node := &inventory.Node{Name: name}
	answerForNode(t, d, node)
	return node
}

func answerForNode(t *testing.T, d *demand, node *inventory.Node) {
	t.Helper()
	result, err := allocator.Allocate(t.Context(), allocator.Problem{Demand: d.Demand, Node: node})
	if err != nil {
		t.Fatal(err)
	}
	d.learn(node, nil, result)
}
