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

package composable_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"

	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
	"github.com/dra-conformance/dratest/implementation/controllers/composable"
	"github.com/dra-conformance/dratest/implementation/fabricplan"
	"github.com/dra-conformance/dratest/implementation/fabricplan/fabrictest"
)

func TestMain(m *testing.M) { apitest.Main(m) }

const (
	driver = "gpu.example.com"
	node   = "worker"
)

// cluster is an API server with a controller and a fabric of two devices.
type cluster struct {
	*apitest.Cluster
	fabric *fabrictest.Fabric
	config composable.Config
}

func story(t *testing.T, tell func(*cluster), objects ...runtime.Object) {
	t.Helper()
	objects = append(objects, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}})
	apitest.Story(t, func(c *apitest.Cluster) {
		tell(&cluster{Cluster: c, fabric: fabrictest.New("a100", 2), config: composable.Config{
			Refresh: 10 * time.Second,
			Config:  fabricplan.Config{Driver: driver, Fabric: "fabric", DetachAfter: time.Minute, CordonFor: 5 * time.Second},
		}})
	}, objects...)
}

func (c *cluster) start() {
	c.Helper()
	c.Start(func(ctx context.Context, factory informers.SharedInformerFactory, registry metrics.KubeRegistry) (apitest.Controller, error) {
		controller, err := composable.New(ctx, c, factory, c.fabric, c.config)
		if err == nil {
			controller.Register(registry.MustRegister)
		}
		return controller, err
	})
}

func (c *cluster) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (c *cluster) claim() *resourceapi.ResourceClaim {
	c.Helper()
	claim, err := c.ResourceV1().ResourceClaims("ns").Get(c.Ctx, "claim", metav1.GetOptions{})
	c.Must(err)
	return claim
}

// conditions returns the true conditions of the claim's slot.
func (c *cluster) conditions() string {
	c.Helper()
	var all []string
	for _, d := range c.claim().Status.Devices {
		for _, condition := range d.Conditions {
			if meta.IsStatusConditionTrue(d.Conditions, condition.Type) {
				all = append(all, condition.Type+" "+condition.Reason)
			}
		}
	}
	return strings.Join(all, ", ")
}

// slots are the names of the slots published in pools of the fabric.
func (c *cluster) slots() string {
	c.Helper()
	list, err := c.ResourceV1().ResourceSlices().List(c.Ctx, metav1.ListOptions{LabelSelector: fabricplan.FabricLabel})
	c.Must(err)
	var names []string
	for _, slice := range list.Items {
		for _, d := range slice.Spec.Devices {
			names = append(names, d.Name)
		}
	}
	return strings.Join(names, " ")
}

func (c *cluster) wantCounter(name string, want string) {
	c.Helper()
	c.Must(testutil.GatherAndCompare(c.Metrics, strings.NewReader(want), name))
}

// allocated is the claim "claim" with a device, from the fabric if it is a slot.
func allocated(device string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "claim"}}
	result := resourceapi.DeviceRequestAllocationResult{Request: "req", Driver: driver, Pool: node, Device: device}
	if strings.HasPrefix(device, "free-") {
		result.Pool, result.BindingConditions, result.BindingFailureConditions = "fabric/a100", []string{fabricplan.Attached}, []string{fabricplan.AttachFailed}
	}
	claim.Status.Allocation = &resourceapi.AllocationResult{
		AllocationTimestamp: new(metav1.NewTime(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))),
		Devices:             resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{result}},
		NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}}},
	}
	return claim
}

// reschedule makes the slot's pod be rescheduled.
func reschedule(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	result := &claim.Status.Allocation.Devices.Results[0]
	result.BindingFailureConditions = append(result.BindingFailureConditions, fabricplan.AttachedAsLocal)
	return claim
}

// local is a driver's slice for its node.
func local(devices ...string) *resourceapi.ResourceSlice {
	slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Spec: resourceapi.ResourceSliceSpec{
		Driver: driver, NodeName: new(node), Pool: resourceapi.ResourcePool{Name: node}}}
	for _, name := range devices {
		slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{Name: name})
	}
	return slice
}

// deallocate clears the allocation, like a scheduler giving up.
func (c *cluster) deallocate() {
	c.Helper()
	claim := c.claim()
	claim.Status = resourceapi.ResourceClaimStatus{}
	_, err := c.ResourceV1().ResourceClaims("ns").UpdateStatus(c.Ctx, claim, metav1.UpdateOptions{})
	c.Must(err)
	synctest.Wait()
}
