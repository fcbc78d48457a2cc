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
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var start = time.Unix(1000, 0)

func at(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

// fabricOf has devices of model a; attaching and detaching takes ten seconds.
func fabricOf(t *testing.T, devices ...string) *State {
	t.Helper()
	s := NewState()
	if err := s.AddDevices("a", nil, devices...); err != nil {
		t.Fatal(err)
	}
	if err := s.SetScript([]Rule{{Takes: metav1.Duration{Duration: 10 * time.Second}}}); err != nil {
		t.Fatal(err)
	}
	return s
}

func request(key string) AttachRequest { return AttachRequest{Key: key, Model: "a", Node: "node"} }

func TestAttachTakesTime(t *testing.T) {
	s := fabricOf(t, "d")
	task, err := s.Attach("c1", request("k"), at(0))
	if err != nil || task.Phase != Running || task.Device != "d" {
		t.Fatalf("got %+v, %v", task, err)
	}
	if got := s.Inventory("c1", at(9)); got.Devices[0].Phase != Attaching || got.Models[0].Free != 0 {
		t.Errorf("before its end: %+v", got)
	}
	if got := s.Inventory("c1", at(10)); got.Devices[0].Phase != Attached {
		t.Errorf("at its end: %+v", got)
	}
	if got := s.Inventory("c2", at(10)); len(got.Devices) != 0 {
		t.Errorf("another cluster sees %+v", got.Devices)
	}
	if task, err := s.Task("c1", task.ID, at(10)); err != nil || task.Phase != Succeeded {
		t.Errorf("the task is %+v, %v", task, err)
	}
}

// A restarted controller repeats its request: it must get the same device, never a second one. Keys of older
// allocations must not work again.
func TestKeys(t *testing.T) {
	s := fabricOf(t, "d1", "d2")
	first, err := s.Attach("c1", request("k"), at(0))
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Attach("c1", request("k"), at(5))
	if err != nil || again.ID != first.ID {
		t.Errorf("asked again: %+v, %v; want task %s", again, err, first.ID)
	}
	for who, r := range map[string]AttachRequest{"c2": request("k"), "c1": {Key: "k", Model: "a", Node: "other"}} {
		if _, err := s.Attach(who, r, at(5)); !errors.Is(err, ErrKeyUsed) {
			t.Errorf("%s asks with the key for something else: %v", who, err)
		}
	}
	if _, err := s.Detach("c1", DetachRequest{Device: first.Device}, at(10)); err != nil {
		t.Fatal(err)
	}
	for _, later := range []int{30, 3600} {
		if _, err := s.Attach("c1", request("k"), at(later)); !errors.Is(err, ErrKeyUsed) {
			t.Errorf("asked again %d s after the device was detached: %v", later, err)
		}
	}
	if len(s.Tasks) != 0 {
		t.Errorf("after an hour there still are the tasks %v", s.Tasks)
	}
}

func TestRefusals(t *testing.T) {
	s := fabricOf(t, "d")
	task, err := s.Attach("c1", request("k"), at(0))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		do   func() error
		want error
	}{
		"nothing is free":            {func() error { _, err := s.Attach("c2", request("l"), at(1)); return err }, ErrNoneFree},
		"another model":              {func() error { _, err := s.Attach("c2", AttachRequest{"m", "b", "n"}, at(1)); return err }, ErrNotFound},
		"no key":                     {func() error { _, err := s.Attach("c2", request(""), at(1)); return err }, ErrInvalid},
		"detach while attaching":     {func() error { _, err := s.Detach("c1", DetachRequest{Device: "d"}, at(1)); return err }, ErrNotAttached},
		"detach an earlier one":      {func() error { _, err := s.Detach("c1", DetachRequest{Device: "d", Key: "earlier"}, at(1)); return err }, ErrNotFound},
		"detach another's":           {func() error { _, err := s.Detach("c2", DetachRequest{Device: "d"}, at(1)); return err }, ErrNotFound},
		"another's task":             {func() error { _, err := s.Task("c2", task.ID, at(1)); return err }, ErrNotFound},
		"a name that is none":        {func() error { return s.AddDevices("a", nil, "D_1") }, ErrInvalid},
		"a device twice":             {func() error { return s.AddDevices("a", nil, "d") }, ErrInvalid},
		"a script that is none":      {func() error { return s.SetScript([]Rule{{Operation: "Burn"}}) }, ErrInvalid},
		"refuse and fail":            {func() error { return s.SetScript([]Rule{{Refuse: "a", Fail: "b"}}) }, ErrInvalid},
		"a device that is not there": {func() error { return s.Kill("x", at(1)) }, ErrNotFound},
	} {
		if err := test.do(); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

func TestScript(t *testing.T) {
	s := fabricOf(t, "d1", "d2")
	if err := s.SetScript([]Rule{{Operation: Attach, Times: 1, Fail: "cable"}, {Operation: Attach, Cluster: "c2", Refuse: "not today"}}); err != nil {
		t.Fatal(err)
	}
	task, err := s.Attach("c1", request("k1"), at(0))
	if err != nil {
		t.Fatal(err)
	}
	if task, err = s.Task("c1", task.ID, at(0)); err != nil || task.Phase != Failed || task.Error != "cable" {
		t.Errorf("the first: %+v, %v", task, err)
	}
	if got := s.Inventory("c1", at(0)).Models[0].Free; got != 2 {
		t.Errorf("%d devices are free after a failure, want 2", got)
	}
	if _, err := s.Attach("c2", request("k2"), at(0)); !errors.Is(err, ErrRefused) {
		t.Errorf("the other cluster: %v", err)
	}
	if task, err = s.Attach("c1", request("k3"), at(0)); err != nil {
		t.Error(err)
	}
	if task, err = s.Task("c1", task.ID, at(0)); err != nil || task.Phase != Succeeded {
		t.Errorf("the rule held twice: %+v, %v", task, err)
	}
}

// A device may die or vanish at any moment; a dead one stays attached until detached, and is never attached again.
func TestDeathAndVanishing(t *testing.T) {
	s := fabricOf(t, "d1", "d2")
	one, err := s.Attach("c1", request("k1"), at(0))
	if err != nil {
		t.Fatal(err)
	}
	two, err := s.Attach("c1", request("k2"), at(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Kill(one.Device, at(1)), s.Remove(two.Device, at(1))); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{one.ID: "the device died", two.ID: "the device vanished"} {
		if task, err := s.Task("c1", id, at(10)); err != nil || task.Error != want {
			t.Errorf("%+v, %v; want %q", task, err, want)
		}
	}
	if _, err := s.Detach("c1", DetachRequest{Device: one.Device}, at(11)); err != nil {
		t.Fatal(err)
	}
	if got := s.Inventory("c1", at(30)); len(got.Devices) != 0 || got.Models[0].Free != 0 {
		t.Errorf("after it was given back: %+v", got)
	}
}

// A new device with the name of a vanished one has no owner.
func TestTaskOfADeviceThatWasReplaced(t *testing.T) {
	s := fabricOf(t, "d")
	task, err := s.Attach("c1", request("k"), at(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Remove("d", at(1)), s.AddDevices("a", nil, "d")); err != nil {
		t.Fatal(err)
	}
	if got := s.Inventory("c1", at(20)); got.Models[0].Free != 1 || len(got.Devices) != 0 {
		t.Errorf("the new device is not free: %+v", got)
	}
	if task, err := s.Task("c1", task.ID, at(20)); err != nil || task.Error != "the device vanished" {
		t.Errorf("%+v, %v", task, err)
	}
}

// After a failed detach the device is still attached, and can be detached again.
func TestDetachOfADeadDeviceThatFails(t *testing.T) {
	s := fabricOf(t, "d")
	if _, err := s.Attach("c1", request("k"), at(0)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Kill("d", at(10)), s.SetScript([]Rule{{Operation: Detach, Times: 1, Fail: "stuck"}})); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Detach("c1", DetachRequest{Device: "d"}, at(11)); err != nil {
		t.Fatal(err)
	}
	if got := s.Inventory("c1", at(12)).Devices; len(got) != 1 || got[0].Phase != Dead || got[0].Node != "node" {
		t.Errorf("after it failed the cluster has %+v", got)
	}
	if _, err := s.Detach("c1", DetachRequest{Device: "d"}, at(12)); err != nil {
		t.Errorf("again: %v", err)
	}
	if got := s.Inventory("c1", at(13)).Devices; len(got) != 0 {
		t.Errorf("after it worked the cluster has %+v", got)
	}
}

// After a long downtime a controller finds its device by the key.
func TestTaskOfAnAttachedDeviceIsRemembered(t *testing.T) {
	s := fabricOf(t, "d")
	task, err := s.Attach("c1", request("k"), at(0))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Attach("c1", request("k"), at(24*3600)); err != nil || again.ID != task.ID || again.Phase != Succeeded {
		t.Errorf("a day later: %+v, %v", again, err)
	}
}

// Whatever clusters request and whenever devices die: a device has at most one cluster, a key at most one device, and
// nothing is lost.
func TestNothingIsHadTwice(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := fabricOf(t, "d0", "d1", "d2", "d3")
	for i := range 3000 {
		now := at(i)
		cluster := fmt.Sprintf("c%d", random.IntN(3))
		switch random.IntN(10) {
		case 0:
			_ = s.SetScript([]Rule{{Takes: metav1.Duration{Duration: time.Duration(random.IntN(20)) * time.Second}, Fail: []string{"", "", "x"}[random.IntN(3)]}})
		case 1, 2, 3:
			for _, d := range s.Inventory(cluster, now).Devices {
				_, _ = s.Detach(cluster, DetachRequest{Device: d.ID}, now)
			}
		default:
			_, _ = s.Attach(cluster, request(fmt.Sprintf("%s-%d", cluster, random.IntN(50+i/100))), now)
		}
		seen, keys, free := map[string]bool{}, map[string]bool{}, 0
		for _, c := range []string{"c0", "c1", "c2"} {
			inventory := s.Inventory(c, now)
			free = inventory.Models[0].Free
			for _, d := range inventory.Devices {
				if seen[d.ID] || keys[d.Key] || d.Phase == Free || d.Key == "" {
					t.Fatalf("step %d: %+v", i, d)
				}
				seen[d.ID], keys[d.Key] = true, true
			}
		}
		if free+len(seen) != 4 {
			t.Fatalf("step %d: %d devices are free and %d had, of 4", i, free, len(seen))
		}
	}
}
