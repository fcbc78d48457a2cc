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
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/spec"
)

func node(name string) *corev1.Node { return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}} }

// A scheduler that was late with the last of three slices placed a pod by the two others. A sign that it
// has seen before shows nothing about newer objects: each sign has devices of its own.
func TestEachSignIsNewerThanWhatItIsFor(t *testing.T) {
	f := harnesstest.New(t, spec.Meta{}, &harness.Env{}, node("a"))
	f.Nodes = []string{"a"}
	f.Succeeds(t, func() { AwaitSeen(f.T) })
	f.Succeeds(t, func() { AwaitSeen(f.T) })
	claims, err := f.Client.ResourceV1().ResourceClaims(f.Namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var drivers []string
	for _, c := range claims.Items {
		driver := c.Spec.Devices.Requests[0].Exactly.DeviceClassName
		slice, err := f.Client.ResourceV1().ResourceSlices().Get(t.Context(), driver, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if slice.Spec.Driver != driver || *slice.Spec.NodeName != "a" || len(slice.Spec.Devices) != 1 {
			t.Errorf("slice of claim %s: %v", c.Name, slice.Spec)
		}
		drivers = append(drivers, driver)
	}
	slices.Sort(drivers)
	if len(slices.Compact(drivers)) != 2 {
		t.Errorf("drivers of the signs: %q", drivers)
	}
}

func TestAwaitNodeSeenLeavesNothing(t *testing.T) {
	f := harnesstest.New(t, spec.Meta{}, &harness.Env{}, node("a"), node("b"))
	f.Succeeds(t, func() { AwaitNodeSeen(f.T, "a") })
	pods, err := f.Client.CoreV1().Pods(f.Namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(pods.Items) != 0 {
		t.Errorf("%v, pods %v", err, pods.Items)
	}
	if n, err := f.Client.CoreV1().Nodes().Get(t.Context(), "a", metav1.GetOptions{}); err != nil || len(n.Labels) != 0 {
		t.Errorf("%v, labels %v", err, n.Labels)
	}
}
