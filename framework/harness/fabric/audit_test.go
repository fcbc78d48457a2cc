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
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/spec"
)

// fabricOf is a read-only fabric.
type fabricOf struct {
	Client

	devices func() map[string]spec.FabricDevice
}

func (f fabricOf) Devices(context.Context) (map[string]spec.FabricDevice, error) {
	return f.devices(), nil
}

// withLocal is a case whose claim in use has the local device gpu-0, which the fabric reports in a
// phase.
func withLocal(t *testing.T, phase string) (*Fabric, *harnesstest.Case, *resourceapi.ResourceClaim) {
	t.Helper()
	f := harnesstest.New(t, spec.Meta{ID: "fabric/case", Needs: spec.Needs{NoKubelet: true}}, &harness.Env{})
	has := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim", Namespace: f.Namespace, UID: "uid", ResourceVersion: "1"}}
	has.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod"}}
	has.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
		Results: []resourceapi.DeviceRequestAllocationResult{{Driver: f.DriverName(), Pool: "node", Device: "gpu-0"}}}}
	if _, err := f.Client.ResourceV1().ResourceClaims(harnesstest.Namespace).Create(t.Context(), has, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return &Fabric{t: f.T, Client: fabricOf{devices: func() map[string]spec.FabricDevice {
		return map[string]spec.FabricDevice{"gpu-0": {ID: "gpu-0", Phase: phase, Node: "node"}}
	}}}, f, has
}

func TestEndOfAFabricsCase(t *testing.T) {
	good, _, _ := withLocal(t, "Attached")
	if err := good.check(t.Context()); err != nil {
		t.Error(err)
	}
	bad, _, _ := withLocal(t, "Detaching")
	if err := bad.check(t.Context()); err == nil || !strings.Contains(err.Error(), "detached-in-use: claim "+harnesstest.Namespace+"/claim is in use and has device gpu-0") {
		t.Errorf("got %v", err)
	}
}

// A claim changed between two reads may have released its device.
func TestEndOfAFabricsCaseWhileAClaimChanges(t *testing.T) {
	c, _, has := withLocal(t, "Detaching")
	before := c.Client.(fabricOf).devices
	c.Client = fabricOf{devices: func() map[string]spec.FabricDevice {
		has.ResourceVersion += "0"
		if _, err := c.t.Client.ResourceV1().ResourceClaims(harnesstest.Namespace).Update(t.Context(), has, metav1.UpdateOptions{}); err != nil {
			t.Error(err)
		}
		return before()
	}}
	if err := c.check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestDeviceThatIsAttachedForNobodyIsAwaited(t *testing.T) {
	c, f, has := withLocal(t, "Attached")
	f.Succeeds(t, c.WaitNothingLeft)
	if err := c.t.Client.ResourceV1().ResourceClaims(harnesstest.Namespace).Delete(t.Context(), has.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if failed := f.Fails(t, c.WaitNothingLeft); failed == nil || !strings.Contains(failed.Text, "left-attached: device gpu-0") {
		t.Errorf("got %v", failed)
	}
}
