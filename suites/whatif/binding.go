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

package whatif

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// WaitsInPreBind has pods wait for binding conditions of devices on added nodes.
var WaitsInPreBind = harness.Case{Meta: spec.Meta{
	ID:       "whatif/waits-in-pre-bind",
	Checks:   "For pods waiting in PreBind, dra-whatif adds no node and keeps their nodes, and they are bound there.",
	Requires: []spec.RequirementID{"kep-5007/waiting-pod-visible-to-autoscaler", simulates},
	Needs:    needs(spec.BindingConditions, spec.DeviceStatus),
}, Run: func(t *harness.T) {
	equal(t, "pod", 2, objects.Claim("", objects.Request("req", t.CreateClass(nil))), nil)
	group := whatif.NodeGroup(t, "gpu", profiles.FabricDevice().Pools[0].Devices...)
	waitClaims(t)
	predicted := whatif.Grow(t, group)
	t.Expect(predicted.Groups[0].Nodes).To(gomega.HaveLen(2), "new nodes")
	for _, name := range predicted.Groups[0].Nodes {
		whatif.AddNode(t, group, name)
	}
	meant := waitNominated(t)
	again := whatif.Grow(t, group)
	t.Expect(again.Groups[0].Count).To(gomega.BeZero(), "further nodes while pods wait in PreBind")
	for _, p := range again.Pods {
		t.Expect(p.Node).To(gomega.Equal(meant[p.Name]), "node of pod %s", p.Name)
	}
	gone := whatif.Shrink(t, again.Pods[0].Node)
	t.Expect(gone.Possible).To(gomega.BeFalse(), "node %s can go", again.Pods[0].Node)
	t.Expect(gone.Blockers).To(gomega.HaveLen(1), "claims keeping node %s", again.Pods[0].Node)
	waitBound(t, meant)
}}

// waitNominated waits until all pods wait in PreBind, and returns their nominated nodes.
func waitNominated(t *harness.T) map[string]string {
	meant := map[string]string{}
	t.Poll("pods to wait in PreBind", func(ctx context.Context) (bool, string, error) {
		all, err := pods(ctx, t)
		clear(meant)
		for _, p := range all {
			if node := p.Status.NominatedNodeName; node != "" && p.Spec.NodeName == "" {
				meant[p.Name] = node
			}
		}
		claims, listed := t.Client.ResourceV1().ResourceClaims(t.Namespace).List(ctx, metav1.ListOptions{})
		if listed != nil {
			return false, "", listed
		}
		reserved := 0
		for _, c := range claims.Items {
			reserved += len(c.Status.ReservedFor)
		}
		return len(meant) == len(all) && reserved == len(all), fmt.Sprintf("%v are meant for nodes, %d claims are reserved", meant, reserved), err
	})
	return meant
}

// waitBound reports all devices as attached until the pods are bound to their nominated nodes. A late scheduler gives
// up a device and allocates it again.
func waitBound(t *harness.T, meant map[string]string) {
	t.Poll("pods to be bound", func(ctx context.Context) (bool, string, error) {
		all, err := pods(ctx, t)
		bound := 0
		for _, p := range all {
			if p.Spec.NodeName == "" {
				attach(t, *p.Status.ResourceClaimStatuses[0].ResourceClaimName)
				continue
			}
			t.Expect(p.Spec.NodeName).To(gomega.Equal(meant[p.Name]), "node of pod %s", p.Name)
			bound++
		}
		return err == nil && bound == len(meant), fmt.Sprintf("%d are", bound), err
	})
}

// attach reports a claim's device as ready.
func attach(t *harness.T, claim string) {
	edit.ClaimStatus(t, claim, func(c *resourceapi.ResourceClaim) {
		if c.Status.Allocation == nil {
			return
		}
		r := c.Status.Allocation.Devices.Results[0]
		status := resourceapi.AllocatedDeviceStatus{Driver: r.Driver, Pool: r.Pool, Device: r.Device}
		for _, condition := range []string{profiles.Attached, profiles.Configured} {
			status.Conditions = append(status.Conditions, metav1.Condition{
				Type: condition, Status: metav1.ConditionTrue, Reason: "Ready", Message: "it is there", LastTransitionTime: metav1.Now(),
			})
		}
		c.Status.Devices = []resourceapi.AllocatedDeviceStatus{status}
	})
}
