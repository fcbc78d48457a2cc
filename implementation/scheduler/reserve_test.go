package scheduler

import (
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

type resourceGroup = schema.GroupResource

func poolOf(node string) inventory.PoolID { return inventory.PoolID{Driver: driver, Pool: node} }

func (r *run) wantNode(name string) {
	r.w.t.Helper()
	if r.node != name {
		r.w.t.Fatalf("pod %s: node %q, want %q; rejected: %v", r.pod.Name, r.node, name, r.rejected)
	}
}

func TestReserveChecksAgain(t *testing.T) {
	w := newWorld(t, small()...)
	r := w.find(using("pod", "one"))
	// Another scheduler takes the device between Filter and Reserve.
	w.update("two", allocated("a"))
	message := r.bind()
	if !strings.Contains(message, "devices were taken in the meantime") || !strings.Contains(message, "device-0") {
		t.Errorf("bind: %q", message)
	}
	if woken := w.handle.woken(); !slices.Equal(woken, []string{"ns/pod"}) {
		t.Errorf("woken: %v", woken)
	}
	w.free("one", "two")
	w.schedule(using("pod", "one"))
	if got := devicesOf(w.claim("one")); !slices.Equal(got, []string{"a/device-1"}) {
		t.Errorf("devices %v", got)
	}
}

func TestReservedDevicesAreInUse(t *testing.T) {
	w := newWorld(t, small(asking("both", 2))...)
	r := w.find(using("pod", "one"))
	if status := w.plugin.Reserve(w.ctx, r.cycle, r.pod, r.node); !status.IsSuccess() {
		t.Fatal(status)
	}
	w.find(using("greedy", "both")).wantRejected("cannot allocate all claims")
	w.find(using("sharing", "one")).wantRejected("resource claim ns/one is in the process of being allocated")
	w.plugin.Unreserve(w.ctx, r.cycle, r.pod, r.node)
	// Nobody else knows that the flight is over: there is no event for it.
	if woken := w.handle.woken(); !slices.Equal(woken, []string{"ns/sharing"}) {
		t.Errorf("woken: %v", woken)
	}
	if hint, err := w.plugin.afterPodGone(w.logger(), using("greedy", "both"), r.pod, nil); err != nil || hint.String() != "Queue" {
		t.Errorf("hint for the end of the pod: %v %v", hint, err)
	}
	w.plugin.Unreserve(w.ctx, r.cycle, r.pod, r.node) // once more: harmless
	w.schedule(using("greedy", "both"))
	w.free("one", "both")
}

func TestSlicesChangeBetweenFilterAndReserve(t *testing.T) {
	w := newWorld(t, small()...)
	r := w.find(using("pod", "one"))
	if err := w.client.ResourceV1().ResourceSlices().Delete(w.ctx, "slice-a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("slice is gone", func() bool { slices, _ := w.manager.ListWithDeviceTaintRules(); return len(slices) == 0 })
	// As upstream: what Filter decided counts. The driver will say no if it has to.
	if message := r.bind(); message != "" {
		t.Errorf("bind: %s", message)
	}
	w.find(using("other", "two")).wantRejected("cannot allocate all claims")
}

func TestClassDeletedMidFlight(t *testing.T) {
	w := newWorld(t, small()...)
	r := w.find(using("pod", "one"))
	if err := w.client.ResourceV1().DeviceClasses().Delete(w.ctx, "class", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("class is gone", func() bool { _, err := w.manager.DeviceClasses().Get("class"); return err != nil })
	if message := r.bind(); message != "" {
		t.Errorf("bind: %s", message)
	}
	w.find(using("other", "two")).wantRejected("request request: device class class does not exist")
}

func TestDeletedClaimFreesItsDevices(t *testing.T) {
	w := newWorld(t, small(asking("both", 2), asking("old", 1, allocated("a")))...)
	w.find(using("greedy", "both")).wantRejected("cannot allocate all claims")
	w.delete("old")
	w.create(asking("old", 1, func(c *resourceapi.ResourceClaim) { c.UID = "another" }))
	w.schedule(using("greedy", "both"))
	w.find(using("pod", "old")).wantRejected("2 allocated")
}
