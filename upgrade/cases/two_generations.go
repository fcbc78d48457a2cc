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

package cases

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// TwoGenerations adds a slice of an older generation to a node's pool while its kubelet is down.
// The next kubelet leaves one generation with the driver's devices for a new pod. The running pod
// keeps its device.
var TwoGenerations = Case{
	Meta: spec.Meta{
		ID:       "upgrade/two-generations",
		Checks:   "A device only in an older generation of a pool is not allocated while the node's kubelet is down.",
		Requires: []spec.RequirementID{"kep-4381/highest-generation-only", "kep-4381/prepare-before-start", "kep-4381/unprepare-after-last"},
		Needs:    spec.Needs{Profile: profiles.TwoDevices(), Nodes: 2},
	},
	Before: func(t *harness.T, n *Notes) {
		t.CreateClass(nil)
		for _, node := range t.Nodes {
			name := stays(node)
			t.Create(objects.Claim(name, objects.Request("req", t.DriverName(), indexIs(t, 0))))
			t.RunPod(objects.OnlyOn(objects.Pod(name, t.Image, name), node))
			n.note(t, name, name)
		}
	},
	Down: func(t *harness.T, n *Notes, step path.Step) {
		node := step.Place.Node
		if !slices.Contains(t.Nodes, node) {
			return
		}
		leaveOld(t, node, n.next(node))
		name := ghost(n, node)
		t.Create(objects.Claim(name, objects.Request("req", t.DriverName(), indexIs(t, oldDevice))), objects.OnlyOn(objects.Pod(name, t.Image, name), node))
		t.WaitUnschedulable(name, "cannot allocate all claims")
		t.Never(heardOf, "binding of pod "+name+", whose device is of an older generation,", func(ctx context.Context) (bool, string, error) {
			pod, err := t.Client.CoreV1().Pods(t.Namespace).Get(ctx, name, metav1.GetOptions{})
			return err == nil && pod.Spec.NodeName != "", describe.Pod(pod), err
		})
		// A starting kubelet deletes its node's slices one by one, so this one may be the only one
		// for a moment.
		t.RemovePod(name)
		deleteClaim(t, name)
	},
	After: func(t *harness.T, n *Notes, step path.Step) {
		n.unchanged(t)
		if node := step.Place.Node; step.Place.Component == path.Kubelet && slices.Contains(t.Nodes, node) {
			awaitOneGeneration(t, node)
			name := fmt.Sprintf("new-%s-%d", node, n.Rounds[node])
			t.Create(objects.Claim(name, objects.Request("req", t.DriverName(), indexIs(t, 1))))
			t.RunPod(objects.OnlyOn(objects.Pod(name, t.Image, name), node))
			t.Expect(t.Environment(name, "main")).To(matchers.SeeOnlyDevices("device-1"), "devices of pod %s", name)
			end(t, name)
		}
	},
	Gone: func(t *harness.T, _ *Notes) {
		for _, node := range t.Nodes {
			end(t, stays(node))
			simdriver.Of(t).ExpectCalls(spec.Prepare, stays(node), 1, "from first to last")
		}
	},
}

const (
	// oldDevice is the index of a device not published by the driver.
	oldDevice = 7
	// heardOf bounds the scheduler's reaction to a slice: seeing it and retrying a pod.
	heardOf = 5 * time.Second
)

func ghost(n *Notes, node string) string { return fmt.Sprintf("ghost-%s-%d", node, n.Rounds[node]) }

func indexIs(t *harness.T, index int) string {
	return fmt.Sprintf("device.attributes['%s'].%s == %d", t.DriverName(), profiles.Index, index)
}

func slicesOn(ctx context.Context, t *harness.T, node string) ([]resourceapi.ResourceSlice, error) {
	list, err := t.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + t.DriverName()})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(s resourceapi.ResourceSlice) bool { return s.Spec.NodeName == nil || *s.Spec.NodeName != node }), nil
}

// leaveOld creates a slice of the generation before the node's pool.
func leaveOld(t *harness.T, node string, round int) {
	found, err := slicesOn(t.Context(), t, node)
	t.NoError(err, "list the slices of %s", node)
	t.Expect(found).To(gomega.HaveLen(1), "slices of %s", node)
	old := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-old-%s-%d", t.Namespace, node, round)}, Spec: *found[0].Spec.DeepCopy()}
	old.Spec.Pool.Generation--
	old.Spec.Devices = []resourceapi.Device{profiles.Device(oldDevice, "a", "8Gi")}
	t.Create(old)
}

// awaitOneGeneration waits until a node's pool has exactly the driver's published devices.
func awaitOneGeneration(t *harness.T, node string) {
	t.Poll("the pool of "+node+" to have the driver's two devices in one generation", func(ctx context.Context) (bool, string, error) {
		found, err := slicesOn(ctx, t, node)
		if err != nil {
			return false, "", err
		}
		generations, devices := map[int64]bool{}, []string{}
		for _, slice := range found {
			generations[slice.Spec.Pool.Generation] = true
			for _, device := range slice.Spec.Devices {
				devices = append(devices, device.Name)
			}
		}
		slices.Sort(devices)
		return len(generations) == 1 && slices.Equal(devices, []string{"device-0", "device-1"}), fmt.Sprintf("%v in %d generations", devices, len(generations)), nil
	})
}
