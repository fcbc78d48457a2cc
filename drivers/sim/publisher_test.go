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

package sim

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

func devices(n int, change func(*resourceapi.Device)) []resourceapi.Device {
	list := make([]resourceapi.Device, n)
	for i := range list {
		list[i] = profiles.Device(i, "a", "1Gi")
		change(&list[i])
	}
	return list
}

func TestSplit(t *testing.T) {
	plain := func(*resourceapi.Device) {}
	tainted := func(d *resourceapi.Device) { d.Taints = []resourceapi.DeviceTaint{{Key: "k"}} }
	consuming := func(d *resourceapi.Device) {
		d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "c"}}
	}
	tests := []struct {
		name string
		pool spec.Pool
		want []string // devices+counters of each slice
	}{
		{"empty", spec.Pool{}, []string{"0+0"}},
		{"full", spec.Pool{Devices: devices(128, plain)}, []string{"128+0"}},
		{"one more", spec.Pool{Devices: devices(129, plain)}, []string{"128+0", "1+0"}},
		{"tainted", spec.Pool{Devices: devices(65, tainted)}, []string{"64+0", "1+0"}},
		{"counters", spec.Pool{Devices: devices(65, consuming), SharedCounters: make([]resourceapi.CounterSet, 9)}, []string{"0+8", "0+1", "64+0", "1+0"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, slice := range split(test.pool) {
				got = append(got, fmt.Sprintf("%d+%d", len(slice.Spec.Devices), len(slice.Spec.SharedCounters)))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("slices (-want +got):\n%s", diff)
			}
		})
	}
}

// pools describes published pools as "generation/count: devices".
func pools(t *testing.T, client *fake.Clientset) map[string][]string {
	t.Helper()
	list, err := client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, slice := range list.Items {
		pool := slice.Spec.Pool
		got[pool.Name] = append(got[pool.Name], fmt.Sprintf("%d/%d: %d", pool.Generation, pool.ResourceSliceCount, len(slice.Spec.Devices)))
	}
	return got
}

func TestPublish(t *testing.T) {
	profile := func(pools ...spec.Pool) spec.Profile { return spec.Profile{Pools: pools} }
	big := spec.Pool{Devices: devices(129, func(*resourceapi.Device) {})}
	bigger := spec.Pool{Devices: devices(130, func(*resourceapi.Device) {})}
	one, two := profiles.OneDevice().Pools[0], profiles.TwoDevices().Pools[0]
	other := spec.Pool{Suffix: "b", Devices: one.Devices}
	tests := []struct {
		name     string
		profiles []spec.Profile
		want     map[string][]string
	}{
		{"first", []spec.Profile{profile(one)}, map[string][]string{node: {"1/1: 1"}}},
		{"again", []spec.Profile{profile(one), profile(one)}, map[string][]string{node: {"1/1: 1"}}},
		{"in place", []spec.Profile{profile(one), profile(two)}, map[string][]string{node: {"2/1: 2"}}},
		{"empty", []spec.Profile{profile(one), profiles.Empty()}, map[string][]string{node: {"2/1: 0"}}},
		{"none", []spec.Profile{profile(one), profile()}, map[string][]string{}},
		{"grows", []spec.Profile{profile(one), profile(big)}, map[string][]string{node: {"2/2: 128", "2/2: 1"}}},
		{"stays big", []spec.Profile{profile(big), profile(big)}, map[string][]string{node: {"1/2: 128", "1/2: 1"}}},
		{"new generation", []spec.Profile{profile(big), profile(bigger)}, map[string][]string{node: {"2/2: 128", "2/2: 2"}}},
		{"second pool", []spec.Profile{profile(one), profile(one, other)}, map[string][]string{node: {"1/1: 1"}, node + "-b": {"1/1: 1"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			client := newClient()
			p := &publisher{agent: Config{NodeName: node, Client: client}, driver: driver}
			for _, profile := range test.profiles {
				if err := p.set(t.Context(), profile); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(test.want, pools(t, client)); diff != "" {
				t.Errorf("pools (-want +got):\n%s", diff)
			}
		})
	}
}

// A pool of one slice kept its generation when its devices changed.
func TestChangedPoolOfOneSliceHasNewGeneration(t *testing.T) {
	client := newClient()
	p := &publisher{agent: Config{NodeName: node, Client: client}, driver: driver}
	name := ""
	for generation, profile := range []spec.Profile{profiles.OneDevice(), profiles.TwoDevices(), profiles.OneDevice()} {
		if err := p.set(t.Context(), profile); err != nil {
			t.Fatal(err)
		}
		list, err := client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Items) != 1 {
			t.Fatalf("%d slices, want 1", len(list.Items))
		}
		slice := list.Items[0]
		if got, want := slice.Spec.Pool.Generation, int64(generation+1); got != want {
			t.Errorf("change %d: generation %d, want %d", generation, got, want)
		}
		if name != "" && slice.Name != name {
			t.Errorf("change %d: slice %s was replaced by %s, want the same one", generation, name, slice.Name)
		}
		name = slice.Name
	}
}

func TestDroppedFieldsAreAnError(t *testing.T) {
	client := newClient()
	client.PrependReactor("create", "resourceslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		creation, _ := action.(clienttesting.CreateAction)
		slice, _ := creation.GetObject().DeepCopyObject().(*resourceapi.ResourceSlice)
		slice.Spec.Devices[0].Taints = nil
		return true, slice, nil
	})
	profile := profiles.OneDevice()
	profile.Pools[0].Devices[0].Taints = []resourceapi.DeviceTaint{{Key: "k", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
	p := &publisher{agent: Config{NodeName: node, Client: client}, driver: driver}
	var dropped *resourceslice.DroppedFieldsError
	if err := p.set(t.Context(), profile); !errors.As(err, &dropped) {
		t.Errorf("got %v, want dropped fields", err)
	}
}

// A driver without pools, as one with its own controller, listed its slices every five seconds for ever. A failed
// write is still retried.
func TestNothingPublishedIsNotLookedAfter(t *testing.T) {
	client := newClient()
	fails := true
	client.PrependReactor("list", "resourceslices", func(clienttesting.Action) (bool, runtime.Object, error) {
		return fails, nil, errors.New("on purpose")
	})
	p := &publisher{agent: Config{NodeName: node, Client: client}, driver: driver}
	lists := func() (n int) {
		for _, action := range client.Actions() {
			if action.Matches("list", "resourceslices") {
				n++
			}
		}
		return n
	}
	if err := p.set(t.Context(), spec.Profile{}); err == nil {
		t.Fatal("no error")
	}
	fails = false
	for range 3 {
		if err := p.repair(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := lists(); n != 2 {
		t.Errorf("slices were listed %d times, want until it worked the first time", n)
	}
	if err := p.set(t.Context(), profiles.OneDevice()); err != nil {
		t.Fatal(err)
	}
	if err := p.repair(t.Context()); err != nil || lists() != 4 {
		t.Errorf("slices were listed %d times, %v: with a pool, each look does", lists(), err)
	}
}

// A driver with a stale cache misses the deletion of what it has updated.
func TestUpdatedSlicesAreLost(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		client := newClient()
		p := &publisher{agent: Config{NodeName: node, Client: client}, driver: driver, onePool: true}
		if forgets {
			p.updated = map[string]resourceapi.ResourceSlice{}
		}
		for _, profile := range []spec.Profile{profiles.OneDevice(), profiles.Devices(2)} {
			if err := p.set(t.Context(), profile); err != nil {
				t.Fatal(err)
			}
		}
		if got := pools(t, client)["pool"]; len(got) != 1 {
			t.Fatalf("slices of the pool of all nodes: %v", got)
		}
		if err := client.ResourceV1().ResourceSlices().DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := p.repair(t.Context()); err != nil {
			t.Fatal(err)
		}
		if lost := len(pools(t, client)) == 0; lost != forgets {
			t.Errorf("the slice is lost: %t, want %t", lost, forgets)
		}
	}
}
