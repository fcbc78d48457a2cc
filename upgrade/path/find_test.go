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

package path

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
)

var (
	v34 = Version{34, 4, ""}
	v35 = Version{35, 8, ""}
	v36 = Version{36, 4, ""}
	v37 = Version{37, 1, ""}
)

// request is from one version to another on a control plane node and a worker.
func request(from, to Version) Request {
	return Request{From: from, To: to, Known: []Version{v37, v36, v35, v34}, ControlPlanes: []string{"cp"}, Workers: []string{"w"}}
}

func steps(t *testing.T, r Request) []string {
	t.Helper()
	p, err := Find(r)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, s := range p.Steps {
		all = append(all, s.String())
	}
	return all
}

func TestThereAndBack(t *testing.T) {
	r := request(v36, v37)
	r.Back = true
	want := []string{
		"kube-apiserver on cp: v1.36.4 to v1.37.1",
		"kube-controller-manager on cp: v1.36.4 to v1.37.1",
		"kube-scheduler on cp: v1.36.4 to v1.37.1",
		"kube-proxy: v1.36.4 to v1.37.1",
		"kubelet on cp: v1.36.4 to v1.37.1",
		"kubelet on w: v1.36.4 to v1.37.1",
		"kubelet on cp: v1.37.1 to v1.36.4",
		"kubelet on w: v1.37.1 to v1.36.4",
		"kube-proxy: v1.37.1 to v1.36.4",
		"kube-scheduler on cp: v1.37.1 to v1.36.4",
		"kube-controller-manager on cp: v1.37.1 to v1.36.4",
		"kube-apiserver on cp: v1.37.1 to v1.36.4",
	}
	if d := cmp.Diff(want, steps(t, r)); d != "" {
		t.Error(d)
	}
}

func TestLadders(t *testing.T) {
	back := func(r *Request) { r.Back = true }
	for name, tc := range map[string]struct {
		from, to Version
		change   func(*Request)
		servers  []string // versions of the API server, one after the other
		kubelets []string // those of the worker's kubelet
	}{
		"up":           {v34, v37, nil, []string{"v1.34.4", "v1.35.8", "v1.36.4", "v1.37.1"}, []string{"v1.34.4", "v1.35.8", "v1.36.4", "v1.37.1"}},
		"down":         {v37, v35, nil, []string{"v1.37.1", "v1.36.4", "v1.35.8"}, []string{"v1.37.1", "v1.36.4", "v1.35.8"}},
		"kubelet last": {v34, v37, func(r *Request) { r.KubeletsLast = true }, []string{"v1.34.4", "v1.35.8", "v1.36.4", "v1.37.1"}, []string{"v1.34.4", "v1.37.1"}},
		"kubelet last and back": {v35, v37, func(r *Request) { r.KubeletsLast, r.Back = true, true },
			[]string{"v1.35.8", "v1.36.4", "v1.37.1", "v1.36.4", "v1.35.8"}, []string{"v1.35.8", "v1.37.1", "v1.35.8"}},
		"kubelet stays": {v34, v36, func(r *Request) { r.Stay = map[string]Version{"w": v35} }, []string{"v1.34.4", "v1.35.8", "v1.36.4"}, []string{"v1.34.4", "v1.35.8"}},
		"and back":      {v35, v36, back, []string{"v1.35.8", "v1.36.4", "v1.35.8"}, []string{"v1.35.8", "v1.36.4", "v1.35.8"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(tc.from, tc.to)
			if tc.change != nil {
				tc.change(&r)
			}
			p, err := Find(r)
			if err != nil {
				t.Fatal(err)
			}
			seen := func(at Place) (all []string) {
				for _, s := range p.States() {
					all = append(all, s.Software[at].String())
				}
				return slices.Compact(all)
			}
			if d := cmp.Diff(tc.servers, seen(Place{APIServer, "cp"})); d != "" {
				t.Errorf("API server: %s", d)
			}
			if d := cmp.Diff(tc.kubelets, seen(Place{Kubelet, "w"})); d != "" {
				t.Errorf("kubelet: %s", d)
			}
		})
	}
}

// Own components take over where the path turns.
func TestOwnComponents(t *testing.T) {
	r := request(v36, v37)
	r.Back, r.Own = true, []Place{{Scheduler, "cp"}, {Kubelet, "w"}}
	var own []string
	for i, s := range steps(t, r) {
		if strings.Contains(s, "own") {
			own = append(own, fmt.Sprint(i, " ", s))
		}
	}
	want := []string{
		"6 kube-scheduler on cp: v1.37.1 to own v1.37.1", "7 kubelet on w: v1.37.1 to own v1.37.1",
		"8 kubelet on w: own v1.37.1 to v1.37.1", "9 kube-scheduler on cp: own v1.37.1 to v1.37.1",
	}
	if d := cmp.Diff(want, own); d != "" {
		t.Error(d)
	}
	r = request(v37, v37)
	r.Own = []Place{{ControllerManager, "cp"}}
	p, err := Find(r)
	if err != nil || len(p.Steps) != 1 {
		t.Fatalf("without another version: %v, %v", p.Steps, err)
	}
	if got := p.States()[1].Skew(); got != "kube-apiserver v1.37.1; own kube-controller-manager on cp" {
		t.Errorf("after it: %s", got)
	}
}

func TestRequestSaysWhatItIs(t *testing.T) {
	r := request(v36, v37)
	r.Back = true
	gates := request(v36, v36)
	gates.MadeWith = map[spec.Feature]bool{spec.DeviceTaints: false}
	gates.Gates = []Switch{{spec.DeviceTaints, true}, {spec.DeviceTaints, false}}
	own := request(v37, v37)
	own.Own = []Place{{Scheduler, "cp"}}
	for want, r := range map[string]Request{
		"Kubernetes v1.36.4 to v1.37.1 and back":                                               r,
		"Kubernetes v1.36.4 with DRADeviceTaints off, DRADeviceTaints on, DRADeviceTaints off": gates,
		"Kubernetes v1.37.1 and to own components":                                             own,
	} {
		if got := r.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestDrain(t *testing.T) {
	r := request(v36, v37)
	r.Drain = true
	drained := 0
	for _, s := range steps(t, r) {
		if strings.HasSuffix(s, " after a drain") && strings.HasPrefix(s, "kubelet") {
			drained++
		}
	}
	if drained != 2 {
		t.Errorf("%d kubelets after a drain, want both", drained)
	}
}

func TestGateThatIsOffAtFirst(t *testing.T) {
	r := request(v36, v36)
	r.MadeWith = map[spec.Feature]bool{spec.ExtendedResource: false}
	r.Gates = []Switch{{spec.ExtendedResource, true}}
	p, err := Find(r)
	if err != nil || len(p.Steps) != 5 {
		t.Fatalf("%v, %v", p.Steps, err)
	}
	if states := p.States(); states[0].On(spec.ExtendedResource, Place{Kubelet, "w"}) || !states[5].On(spec.ExtendedResource, Place{Kubelet, "w"}) {
		t.Error("it is off at first, and on in the end")
	}
}

// Readers of new fields get the gate before their writers, and lose it after them.
func TestGateCycle(t *testing.T) {
	r := request(v36, v36)
	r.Gates = []Switch{{spec.ExtendedResource, false}, {spec.ExtendedResource, true}}
	want := []string{
		"kube-scheduler on cp: DRAExtendedResource off",
		"kube-controller-manager on cp: DRAExtendedResource off",
		"kubelet on cp: DRAExtendedResource off",
		"kubelet on w: DRAExtendedResource off",
		"kube-apiserver on cp: DRAExtendedResource off",
		"kube-apiserver on cp: DRAExtendedResource on",
		"kubelet on cp: DRAExtendedResource on",
		"kubelet on w: DRAExtendedResource on",
		"kube-controller-manager on cp: DRAExtendedResource on",
		"kube-scheduler on cp: DRAExtendedResource on",
	}
	if d := cmp.Diff(want, steps(t, r)); d != "" {
		t.Error(d)
	}
	p, _ := Find(r)
	for i, step := range p.Steps {
		if step.Completes() != (i == 4 || i == 9) {
			t.Errorf("%s: %t", step, step.Completes())
		}
	}
	states := p.States()
	scheduler := Place{Scheduler, "cp"}
	if !states[0].On(spec.ExtendedResource, scheduler) || states[1].On(spec.ExtendedResource, scheduler) || !states[len(states)-1].On(spec.ExtendedResource, scheduler) {
		t.Error("the gate is on by default in v1.36, then off, then on")
	}
}

func TestRefusals(t *testing.T) {
	gate := func(f spec.Feature, on bool) func(*Request) {
		return func(r *Request) { r.Gates = []Switch{{f, on}} }
	}
	for name, tc := range map[string]struct {
		from, to Version
		change   func(*Request)
		rule     Rule
		message  string
	}{
		"a minor version that cannot be run": {v35, v37, func(r *Request) { r.Known = []Version{v35, v37} }, ServerInSteps, "v1.36"},
		"a kubelet that stays behind": {v34, Version{38, 0, ""}, func(r *Request) {
			r.Known, r.Stay = append(r.Known, Version{38, 0, ""}), map[string]Version{"w": v34}
		}, NodeBehind, "kubelet on w v1.34.4 is 4 minor versions older"},
		"kubelets last over four versions": {v34, Version{38, 0, ""}, func(r *Request) {
			r.Known, r.KubeletsLast = append(r.Known, Version{38, 0, ""}), true
		}, NodeBehind, "4 minor versions older"},
		"a gate that is locked":           {v37, v37, gate(spec.ExtendedResource, false), GateLocked, "locked to true"},
		"a gate that will be locked":      {v36, v37, gate(spec.ExtendedResource, false), GateLocked, "kube-apiserver on cp v1.37.1"},
		"a gate that is not there yet":    {v34, v34, gate(spec.DeviceTaintRules, true), GateKnown, "has no feature gate DRADeviceTaintRules"},
		"a gate that is not there at all": {v37, v37, gate("Nonsense", true), GateKnown, "Nonsense"},
		"a gate that is so already":       {v36, v36, gate(spec.ExtendedResource, true), GateChanges, "DRAExtendedResource is on already"},
		"a gate that another one needs":   {v37, v37, gate(spec.DeviceTaints, false), GateNeeds, "DRADeviceTaints off while DRADeviceTaintRules is on"},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(tc.from, tc.to)
			tc.change(&r)
			_, err := Find(r)
			var refusal *RefusalError
			if !errors.As(err, &refusal) || refusal.Rule != tc.rule || !strings.Contains(err.Error(), tc.message) {
				t.Errorf("got %v, want rule %s and %q", err, tc.rule, tc.message)
			}
		})
	}
}

func TestRequestsWithoutSense(t *testing.T) {
	_, err := Find(Request{From: v36, To: v36, Known: []Version{v37}, Workers: []string{"w", "w"}, Stay: map[string]Version{"x": v35}})
	_, ownErr := Find(Request{From: v36, To: v37, Known: []Version{v36, v37}, ControlPlanes: []string{"cp"}, Stay: map[string]Version{"cp": v36},
		Own: []Place{{Kubelet, "cp"}, {Proxy, "cp"}, {Scheduler, "x"}}, MadeWith: map[spec.Feature]bool{spec.ExtendedResource: false}})
	for _, message := range []string{"kubelet of cp stays", "no kube-proxy", `no node "x" with a replaceable kube-scheduler`, "own components only"} {
		if ownErr == nil || !strings.Contains(ownErr.Error(), message) {
			t.Errorf("%v does not say %q", ownErr, message)
		}
	}
	for _, message := range []string{"no control plane", "there twice", "v1.36.4 cannot be run", `no node "x"`, "kubelet version v1.35.8 for x is unknown", "nothing to do"} {
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%v does not say %q", err, message)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]string{
		"v1.36.4": "v1.36.4", "1.34.0": "v1.34.0", "v1.36": "", "": "", "v2.1.0": "", "v1.37.0-rc.1": "v1.37.0-rc.1", "1.38.0-beta.0+1a2b3c4d": "v1.38.0-beta.0+1a2b3c4d",
	} {
		v, err := ParseVersion(text)
		if (err == nil) != (want != "") || err == nil && v.String() != want {
			t.Errorf("%q: %s, %v", text, v, err)
		}
	}
}

func TestCompare(t *testing.T) {
	for older, newer := range map[string]string{"v1.37.1": "v1.38.0-beta.0", "v1.38.0-beta.0": "v1.38.0-rc.0", "v1.38.0-rc.0": "v1.38.0", "v1.9.0": "v1.10.0"} {
		a, errA := ParseVersion(older)
		b, errB := ParseVersion(newer)
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if a.Compare(b) >= 0 || b.Compare(a) <= 0 {
			t.Errorf("%s is not older than %s", older, newer)
		}
	}
}

func TestToAPrerelease(t *testing.T) {
	beta := Version{38, 0, "-beta.0"}
	r := request(v36, beta)
	r.Known = append(r.Known, beta)
	p, err := Find(r)
	if err != nil {
		t.Fatal(err)
	}
	states := p.States()
	if last := states[len(states)-1]; last.Software[Place{APIServer, r.ControlPlanes[0]}].Version != beta {
		t.Errorf("ends with %v", last)
	}
	if text := fmt.Sprint(p); !strings.Contains(text, "v1.37.1") {
		t.Errorf("not by way of v1.37.1: %s", text)
	}
}

// Two checkouts of one version: the path went as a downgrade, kubelets first, and a kubelet did not stay at its build.
func TestBetweenBuildsOfAVersion(t *testing.T) {
	a, b := Version{38, 0, "-beta.0+aaaaaaaa"}, Version{38, 0, "-beta.0+bbbbbbbb"}
	r := request(a, b)
	r.Known, r.Back, r.Stay = []Version{a, b}, true, map[string]Version{r.Workers[0]: a}
	p, err := Find(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Steps {
		if s.Place == (Place{Kubelet, r.Workers[0]}) {
			t.Errorf("the kubelet that stays: %s", s)
		}
	}
	server := Place{APIServer, r.ControlPlanes[0]}
	if first, last := p.Steps[0], p.Steps[len(p.Steps)-1]; first.Place != server || last.Place != server {
		t.Errorf("from %s to %s: want the API server first, and last on the way back", first, last)
	}
	r.Stay = map[string]Version{r.Workers[0]: b}
	if p, err = Find(r); err != nil {
		t.Fatal(err)
	}
	if end := p.States()[len(p.Steps)].Software[Place{Kubelet, r.Workers[0]}]; end.Version != a {
		t.Errorf("the kubelet of a node that may follow ends with %s", end)
	}
}

func TestSkew(t *testing.T) {
	r := request(v36, v37)
	p, err := Find(r)
	if err != nil {
		t.Fatal(err)
	}
	states := p.States()
	for i, want := range map[int]string{
		0: "kube-apiserver v1.36.4",
		1: "kube-apiserver v1.37.1; kube-controller-manager v1.36.4 (1 minor behind); kube-scheduler v1.36.4 (1 minor behind); " +
			"kube-proxy v1.36.4 (1 minor behind); kubelet v1.36.4 (1 minor behind)",
		5: "kube-apiserver v1.37.1; kubelet v1.36.4 to v1.37.1 (1 minor behind)",
		6: "kube-apiserver v1.37.1",
	} {
		if got := states[i].Skew(); got != want {
			t.Errorf("after step %d: %s, want %s", i, got, want)
		}
	}
}
