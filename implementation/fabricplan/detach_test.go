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

package fabricplan_test

import (
	"strings"
	"testing"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/fabricplan"
)

// kinds are the actions' types.
func kinds(actions []fabricplan.Action) string {
	var all []string
	for _, action := range actions {
		switch action.(type) {
		case fabricplan.VerifyClaims:
			all = append(all, "verify")
		case fabricplan.Cordon:
			all = append(all, "cordon")
		case fabricplan.Uncordon:
			all = append(all, "uncordon")
		case fabricplan.Detach:
			all = append(all, "detach")
		case fabricplan.PlanAgain:
			all = append(all, "again")
		}
	}
	return strings.Join(all, " ")
}

func TestDetach(t *testing.T) {
	user := waiting("claim", start(), false, "free-0")
	rule := func(age time.Duration) []*resourceapi.DeviceTaintRule {
		return []*resourceapi.DeviceTaintRule{{
			ObjectMeta: metav1.ObjectMeta{Name: "rule", CreationTimestamp: metav1.NewTime(start().Add(-age))},
			Spec:       resourceapi.DeviceTaintRuleSpec{DeviceSelector: &resourceapi.DeviceTaintSelector{Driver: new(driver), Device: new("a100-0")}},
		}}
	}
	foreign := rule(time.Minute)
	foreign[0].Spec.DeviceSelector.Driver = new("other.example.com")
	elsewhere := rule(time.Minute)
	elsewhere[0].Spec.DeviceSelector.Pool = new("other-node")
	for _, tc := range []struct {
		name   string
		idle   time.Duration
		phase  fabricplan.DevicePhase
		local  bool
		claim  *resourceapi.ResourceClaim
		rules  []*resourceapi.DeviceTaintRule
		live   bool
		gone   bool
		want   string
		forget bool
	}{
		{name: "not for long enough", idle: 59 * time.Second, want: ""},
		{name: "attached again, not idle for long enough", idle: time.Second, local: true, rules: rule(time.Minute), want: "uncordon"},
		{name: "idle, published in another pool than the taint's", idle: time.Hour, local: true, rules: elsewhere, live: true, want: "uncordon again"},
		{name: "idle, not published", idle: time.Hour, want: "verify"},
		{name: "idle, not published, looked up", idle: time.Hour, live: true, want: "detach"},
		{name: "idle, published", idle: time.Hour, local: true, want: "cordon again"},
		{name: "idle, published, taint is new", idle: time.Hour, local: true, rules: rule(9 * time.Second), live: true, want: "again"},
		{name: "idle, published, taint was seen", idle: time.Hour, local: true, rules: rule(10 * time.Second), want: "verify"},
		{name: "idle, published, taint was seen, looked up", idle: time.Hour, local: true, rules: rule(time.Minute), live: true, want: "detach"},
		{name: "used by its name", idle: time.Hour, local: true, claim: allocated("claim", start(), node, "a100-0"), live: true, forget: true, want: ""},
		{name: "used by its slot", idle: time.Hour, claim: user, live: true, forget: true, want: ""},
		{name: "used again", idle: time.Hour, local: true, rules: rule(time.Minute), claim: allocated("claim", start(), node, "a100-0"), forget: true, want: "uncordon"},
		{name: "attached again, published from before", phase: fabricplan.DeviceAttaching, local: true, rules: rule(time.Minute), claim: user, forget: true, want: ""},
		{name: "of an earlier allocation", idle: time.Hour, claim: waiting("claim", start().Add(time.Second), false, "free-0"), live: true, want: "detach"},
		{name: "dead", idle: time.Hour, phase: fabricplan.DeviceDead, live: true, want: "detach"},
		{name: "being attached", idle: time.Hour, phase: fabricplan.DeviceAttaching, live: true, forget: true, want: ""},
		{name: "being detached", idle: time.Hour, phase: fabricplan.DeviceDetaching, live: true, forget: true, want: ""},
		{name: "detached, still published", local: true, rules: rule(time.Minute), gone: true, forget: true, want: ""},
		{name: "rule of another driver", rules: foreign, gone: true, forget: true, want: ""},
		{name: "detached", rules: rule(time.Minute), gone: true, forget: true, want: "uncordon"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := fabricplan.DetachView{Config: config(false), Live: tc.live, Rules: tc.rules, Now: start(), Idle: map[string]time.Time{"a100-0": start().Add(-tc.idle)}}
			if tc.phase == "" {
				tc.phase = fabricplan.DeviceAttached
			}
			if !tc.gone {
				v.Inventory.Devices = []fabricplan.Device{{ID: "a100-0", Model: "a100", Phase: tc.phase, Node: node, Key: keyOf(user, 0)}}
			}
			if tc.claim != nil {
				v.Claims = append(v.Claims, tc.claim)
			}
			if tc.local {
				v.Slices = append(v.Slices, local("a100-0"))
			}
			actions, idle := fabricplan.PlanDetach(v)
			if got := kinds(actions); got != tc.want {
				t.Errorf("planned %q, want %q", got, tc.want)
			}
			if _, remembered := idle["a100-0"]; remembered == tc.forget {
				t.Errorf("idle: %v", idle)
			}
		})
	}
}

// A disconnected driver kept publishing a device detached from its node. The taint there ended as
// soon as the device was attached to another node, so a second pod got it.
func TestTaintStaysWhereADeviceIsPublishedFromBefore(t *testing.T) {
	user := waiting("claim", start(), true, "free-0")
	before := local("a100-0")
	before.Name, before.Spec.NodeName, before.Spec.Pool.Name = "before", new("before"), "before"
	for _, tc := range []struct {
		name   string
		idle   time.Duration
		slices []*resourceapi.ResourceSlice
		claim  *resourceapi.ResourceClaim
		want   string
	}{
		{"attached for somebody", 0, []*resourceapi.ResourceSlice{before}, user, ""},
		{"attached for somebody, published there, too", 0, []*resourceapi.ResourceSlice{before, local("a100-0")}, user, ""},
		{"used by its name", 0, []*resourceapi.ResourceSlice{before, local("a100-0")}, allocated("claim", start(), node, "a100-0"), ""},
		{"idle, not for long enough", time.Second, []*resourceapi.ResourceSlice{before, local("a100-0")}, nil, ""},
		{"idle, published there, too", time.Hour, []*resourceapi.ResourceSlice{before, local("a100-0")}, nil, "again"},
		{"idle, not published there", time.Hour, []*resourceapi.ResourceSlice{before}, nil, "detach"},
		{"the driver has looked, used", 0, []*resourceapi.ResourceSlice{local("a100-0")}, user, "uncordon"},
		{"the driver has looked, idle", time.Hour, []*resourceapi.ResourceSlice{local("a100-0")}, nil, "uncordon again"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := fabricplan.DetachView{Config: config(true), Live: true, Slices: tc.slices, Now: start(), Idle: map[string]time.Time{"a100-0": start().Add(-tc.idle)}}
			v.Inventory.Devices = []fabricplan.Device{{ID: "a100-0", Model: "a100", Phase: fabricplan.DeviceAttached, Node: node, Key: keyOf(user, 0)}}
			v.Rules = []*resourceapi.DeviceTaintRule{{
				ObjectMeta: metav1.ObjectMeta{Name: "rule", CreationTimestamp: metav1.NewTime(start().Add(-time.Hour))},
				Spec:       resourceapi.DeviceTaintRuleSpec{DeviceSelector: &resourceapi.DeviceTaintSelector{Driver: new(driver), Pool: new("before"), Device: new("a100-0")}},
			}}
			if tc.claim != nil {
				v.Claims = append(v.Claims, tc.claim)
			}
			actions, _ := fabricplan.PlanDetach(v)
			if got := kinds(actions); got != tc.want {
				t.Errorf("planned %q, want %q", got, tc.want)
			}
		})
	}
}

// A restarted controller does not know the idle time of a device.
func TestIdleBeginsWhenItIsSeen(t *testing.T) {
	v := fabricplan.DetachView{Config: config(false), Live: true, Now: start()}
	v.Inventory.Devices = []fabricplan.Device{{ID: "a100-0", Phase: fabricplan.DeviceAttached}}
	actions, idle := fabricplan.PlanDetach(v)
	if len(actions) > 0 {
		t.Errorf("planned %v", actions)
	}
	v.Idle, v.Now = idle, v.Now.Add(v.DetachAfter)
	if actions, _ = fabricplan.PlanDetach(v); kinds(actions) != "detach" {
		t.Errorf("planned %v", actions)
	}
}

func TestConfig(t *testing.T) {
	if err := config(true).Validate(); err != nil {
		t.Error(err)
	}
	err := fabricplan.Config{Driver: "A", Fabric: "a.b", DetachAfter: -1}.Validate()
	for _, want := range []string{`driver name "A"`, `fabric name "a.b"`, "times must not be negative"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %v", want, err)
		}
	}
}
