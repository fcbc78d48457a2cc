package harness

import (
	"context"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// fabricOf is a fabric that is looked at, and no more.
type fabricOf struct {
	ComposedFabric

	devices func() map[string]spec.FabricDevice
}

func (f fabricOf) Devices(context.Context) (map[string]spec.FabricDevice, error) {
	return f.devices(), nil
}

// withLocal is a case whose claim is in use and has the local device gpu-0, which the fabric
// has in a phase.
func withLocal(t *testing.T, phase string) (*Composed, *resourceapi.ResourceClaim) {
	t.Helper()
	f := newFake(t)
	f.meta.ID = "fabric/case"
	has := claim(func(c *resourceapi.ResourceClaim) {
		c.UID, c.ResourceVersion = "uid", "1"
		c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod"}}
		c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
			Results: []resourceapi.DeviceRequestAllocationResult{{Driver: f.DriverName(), Pool: "node", Device: "gpu-0"}}}}
	})
	if _, err := f.Client.ResourceV1().ResourceClaims(namespace).Create(t.Context(), has, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return &Composed{t: f, ComposedFabric: fabricOf{devices: func() map[string]spec.FabricDevice {
		return map[string]spec.FabricDevice{"gpu-0": {ID: "gpu-0", Phase: phase, Node: "node"}}
	}}}, has
}

func TestEndOfAFabricsCase(t *testing.T) {
	good, _ := withLocal(t, "Attached")
	if err := good.check(t.Context()); err != nil {
		t.Error(err)
	}
	bad, _ := withLocal(t, "Detaching")
	if err := bad.check(t.Context()); err == nil || !strings.Contains(err.Error(), "detached-in-use: claim "+namespace+"/claim is in use and has device gpu-0") {
		t.Errorf("got %v", err)
	}
}

// A claim that has changed between two reads may have let its device go.
func TestEndOfAFabricsCaseWhileAClaimChanges(t *testing.T) {
	c, has := withLocal(t, "Detaching")
	before := c.ComposedFabric.(fabricOf).devices
	c.ComposedFabric = fabricOf{devices: func() map[string]spec.FabricDevice {
		has.ResourceVersion += "0"
		if _, err := c.t.Client.ResourceV1().ResourceClaims(namespace).Update(t.Context(), has, metav1.UpdateOptions{}); err != nil {
			t.Error(err)
		}
		return before()
	}}
	if err := c.check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestDeviceThatIsAttachedForNobodyIsAwaited(t *testing.T) {
	c, has := withLocal(t, "Attached")
	succeeds(t, c.t, c.WaitNothingLeft)
	if err := c.t.Client.ResourceV1().ResourceClaims(namespace).Delete(t.Context(), has.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if failed := failureOf(c.WaitNothingLeft); failed == nil || !strings.Contains(failed.message, "left-attached: device gpu-0") {
		t.Errorf("got %v", failed)
	}
}
