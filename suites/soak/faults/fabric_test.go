package faults_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites/soak"
	"github.com/dra-conformance/dratest/suites/soak/faults"
)

// fabric is asked by its controller two seconds after one of them was started.
type fabric struct {
	harness.ComposedFabric

	done    []string
	begun   time.Time
	silent  bool
	devices map[string]spec.FabricDevice
}

func (f *fabric) Turn(_ context.Context, part spec.FabricPart, on bool) error {
	if !on {
		f.done = append(f.done, "end "+string(part))
		return nil
	}
	f.done, f.begun = append(f.done, "begin "+string(part)), time.Now()
	return nil
}

func (f *fabric) Asked() time.Time {
	if at := f.begun.Add(2 * time.Second); !f.silent && at.Before(time.Now()) {
		return at
	}
	return time.Time{}
}

func (f *fabric) Devices(context.Context) (map[string]spec.FabricDevice, error) {
	return f.devices, nil
}

func (f *fabric) Change(_ context.Context, c spec.FabricChange) error {
	f.devices[c.Detach] = spec.FabricDevice{ID: c.Detach, Phase: "Detaching", Node: "n"}
	return nil
}

// plane remembers what was restarted.
type plane struct{ done []string }

func (p *plane) Restart(_ context.Context, cluster, program string) error {
	p.done = append(p.done, cluster+" "+program)
	return nil
}

func TestKillOfAFabric(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p := &fabric{}, &plane{}
		target := soak.Target{Cluster: "c", Fabric: f}
		var names []string
		for _, component := range faults.FabricComponents() {
			fault := faults.KillingOfFabric(component, p)
			names = append(names, fault.Name())
			if err := fault.Do(t.Context(), target); err != nil {
				t.Error(err)
			}
		}
		if got := strings.Join(names, ", "); got != "kill scheduler, kill controller-manager, kill controllers, kill composable-controller, kill fabric" {
			t.Errorf("names %s", got)
		}
		if got := strings.Join(f.done, ", "); got != "end controller, begin controller, end manager, begin manager" {
			t.Errorf("done %s", got)
		}
		if got := strings.Join(p.done, ", "); got != "c kube-scheduler, c kube-controller-manager, c dra-controller-manager" {
			t.Errorf("restarted %s", got)
		}
		if now := time.Since(f.begun); now < 2*time.Second {
			t.Errorf("the controller has not asked yet after %s", now)
		}
	})
}

// A controller that does not work after a kill is a kill that could not be done.
func TestKillOfAFabricThatStaysSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := faults.KillPart{Part: spec.FabricController}.Do(ctx, soak.Target{Fabric: &fabric{silent: true}})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestSpoilOfAFabric(t *testing.T) {
	inUse := func(name, device string) *resourceapi.ResourceClaim {
		c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
		c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: name}}
		c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
			Results: []resourceapi.DeviceRequestAllocationResult{{Driver: "d", Pool: "n", Device: device}}}}
		c.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: "d", Pool: "n", Device: device}}
		return c
	}
	one, two := inUse("one", "gpu-0"), inUse("two", "gpu-1")
	f := &fabric{devices: map[string]spec.FabricDevice{
		"gpu-0": {ID: "gpu-0", Phase: "Attached", Node: "n"}, "gpu-1": {ID: "gpu-1", Phase: "Attached", Node: "n"}, "gpu-2": {ID: "gpu-2", Phase: "Free"},
	}}
	if err := (faults.Spoil{Way: faults.DetachedInUse}).Do(t.Context(), soak.Target{Client: cluster(one, two), Namespace: "ns", Driver: "d", Fabric: f}); err != nil {
		t.Fatal(err)
	}
	seen := audit.Fabric{Driver: "d", Claims: []resourceapi.ResourceClaim{*one, *two}}
	for _, d := range f.devices {
		seen.Devices = append(seen.Devices, d)
	}
	found := audit.Attached(seen)
	if len(found) != 2 || slices.ContainsFunc(found, func(v audit.Violation) bool { return v.Rule != audit.DetachedInUse }) {
		t.Errorf("found %v", found)
	}
}
