package binding

import (
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestWaitAllocatedOn(t *testing.T) {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim", Namespace: harnesstest.Namespace}}
	claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
		Results: []resourceapi.DeviceRequestAllocationResult{{Request: "req", Pool: "node", Device: "device-0"}},
	}}
	f := harnesstest.New(t, spec.Meta{}, &harness.Env{}, claim)
	f.Nodes = []string{"x", "node"}
	f.Succeeds(t, func() { waitAllocatedOn(f.T) })
	f.Nodes = []string{"x", "y"}
	failed := f.Fails(t, func() { waitAllocatedOn(f.T) })
	if failed == nil || !strings.Contains(failed.Text, `from pool "node"`) || !strings.Contains(failed.Text, "[x y]") {
		t.Errorf("got %+v", failed)
	}
}
