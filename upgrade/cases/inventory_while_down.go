package cases

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// InventoryWhileDown has the driver of a node publish other devices while its kubelet is down.
var InventoryWhileDown = Case{
	Meta: spec.Meta{
		ID: "upgrade/inventory-while-down",
		Checks: "What a driver publishes while its node's kubelet is down is what is published when the next version is up, in one generation and without what was there before; a pod " +
			"gets a device that only the new inventory has, and the one that ran all the time keeps its own.",
		Requires: []spec.RequirementID{"kep-4381/driver-publishes-own-slices", "kep-4381/highest-generation-only", "kep-4381/unprepare-after-last"},
		Needs:    spec.Needs{Profile: inventory(0), Nodes: 2},
	},
	Before: func(t *harness.T, n *Notes) {
		t.CreateClass(nil)
		n.Rounds = map[string]int{}
		for _, node := range t.Nodes {
			name := stays(node)
			t.Create(objects.Claim(name, objects.Request("req", t.Driver.Name, indexIs(t, 0))))
			t.RunPod(objects.OnlyOn(objects.Pod(name, t.Image, name), node))
			n.note(t, name, name)
		}
	},
	Down: func(t *harness.T, n *Notes, step path.Step) {
		if node := step.Place.Node; slices.Contains(t.Nodes, node) {
			n.Rounds[node]++
			t.Driver.PublishOn(node, inventory(n.Rounds[node]))
		}
	},
	After: func(t *harness.T, n *Notes, _ path.Step) {
		n.unchanged(t)
		for _, node := range t.Nodes {
			awaitInventory(t, node, n.Rounds[node])
		}
	},
	Anew: func(t *harness.T, n *Notes, step path.Step) {
		if node := step.Place.Node; step.Place.Component == path.Kubelet && slices.Contains(t.Nodes, node) {
			runOnNew(t, node, n.Rounds[node])
		}
	},
	Gone: func(t *harness.T, _ *Notes) {
		for _, node := range t.Nodes {
			end(t, stays(node))
			t.Expect(t.Driver.Calls(spec.Prepare, stays(node))).To(gomega.HaveLen(1), "NodePrepareResources calls for claim %s, from first to last", stays(node))
		}
	},
}

// inventory of a round has a device that is always there and one that no other round has.
func inventory(round int) spec.Profile {
	return spec.Profile{Name: fmt.Sprintf("round-%d", round), Pools: []spec.Pool{{Devices: []resourceapi.Device{
		profiles.Device(0, "a", "8Gi"), profiles.Device(round+1, "a", "8Gi"),
	}}}}
}

func indexIs(t *harness.T, index int) string {
	return fmt.Sprintf("device.attributes['%s'].%s == %d", t.Driver.Name, profiles.Index, index)
}

// awaitInventory waits until a node's pool is complete and has the devices of a round.
func awaitInventory(t *harness.T, node string, round int) {
	want := []string{"device-0", fmt.Sprintf("device-%d", round+1)}
	t.Poll(fmt.Sprintf("the driver's pool on %s to have the devices %v", node, want), func(ctx context.Context) (bool, string, error) {
		list, err := t.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + t.Driver.Name})
		if err != nil {
			return false, "", err
		}
		generations, found := map[int64]bool{}, []string{}
		for _, slice := range list.Items {
			if slice.Spec.NodeName == nil || *slice.Spec.NodeName != node {
				continue
			}
			generations[slice.Spec.Pool.Generation] = true
			for _, device := range slice.Spec.Devices {
				found = append(found, device.Name)
			}
		}
		slices.Sort(found)
		return len(generations) == 1 && slices.Equal(found, want), fmt.Sprintf("%v in %d generations", found, len(generations)), nil
	})
}

// runOnNew runs a pod with the device that came last to a node.
func runOnNew(t *harness.T, node string, round int) {
	name := fmt.Sprintf("new-%s-%d", node, round)
	t.Create(objects.Claim(name, objects.Request("req", t.Driver.Name, indexIs(t, round+1))))
	t.RunPod(objects.OnlyOn(objects.Pod(name, t.Image, name), node))
	t.Expect(t.Environment(name, "main")).To(matchers.SeeOnlyDevices(fmt.Sprintf("device-%d", round+1)), "devices of pod %s", name)
	end(t, name)
}
