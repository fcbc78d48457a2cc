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

package certify

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestChanges(t *testing.T) {
	one, two := thing{digest: "1"}, thing{digest: "2"}
	failures, notes, restarted := changes(snapshot{"a": one, "b": one, "c": one}, snapshot{"a": one, "b": two, "d": one})
	if got, want := strings.Join(notes, "; "), "b has changed; c is gone; d is new"; got != want || len(failures)+len(restarted) > 0 {
		t.Errorf("got %q, %v and %v, want %q", got, failures, restarted, want)
	}
}

// TestChangesOfARestart are no notes if a case has restarted the driver.
func TestChangesOfARestart(t *testing.T) {
	pod, socket, slice := thing{whose: renewed}, thing{whose: ofDriver, kind: "sockets"}, thing{whose: renewed, digest: "1"}
	c := running{metas: []spec.Meta{{ID: "life/x", Needs: spec.Needs{DriverPods: true}}}}
	c.leftovers, c.changes, c.renewals = changes(
		snapshot{"Pod gpu/a": pod, "socket a": socket, "ResourceSlice s": slice, "Pod default/x": {}},
		snapshot{"Pod gpu/b": pod, "socket b": socket, "ResourceSlice s": {whose: renewed, digest: "2"}},
	)
	const theirs, own = "Pod default/x is gone", "Pod gpu/a is gone; ResourceSlice s has changed; socket a is gone; Pod gpu/b is new; socket b is new"
	for status, want := range map[spec.Status]string{spec.Passed: theirs, spec.Failed: theirs, spec.Blocked: theirs + "; " + own, spec.NotApplicable: theirs + "; " + own} {
		seen := c.facts(schema.Report{Cases: []schema.Case{{ID: "life/x", Status: status}}}, nil).seen
		if got := strings.Join(seen.Changes, "; "); got != want {
			t.Errorf("after a case that %s: %q, want %q", status, got, want)
		}
	}
}

func TestPodsOfADaemonSet(t *testing.T) {
	p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "gpu", OwnerReferences: []metav1.OwnerReference{{Kind: "DaemonSet", Name: "driver", Controller: ptr.To(true)}}}}
	for set, want := range map[string]bool{"gpu/driver": true, "gpu/other": false, "other/driver": false, "": false} {
		if got := ofDaemonSet(p, set); got != want {
			t.Errorf("of %q: %t", set, got)
		}
	}
}

// TestNothingTakesThePlace of a thing without a kind, however many new things the driver has.
func TestNothingTakesThePlace(t *testing.T) {
	base, socket := thing{whose: ofDriver}, thing{whose: ofDriver, kind: "sockets"}
	for _, tc := range []struct {
		name          string
		before, after snapshot
		message       string
	}{
		{"a base file is lost and another is new", snapshot{"a": base}, snapshot{"b": base}, "a, which is the driver's, is gone"},
		{"a socket has a new name", snapshot{"a": socket}, snapshot{"b": socket}, ""},
		{"a base file is new and a socket lost", snapshot{"a": socket}, snapshot{"b": base}, "a, which is the driver's, is gone"},
	} {
		if failures, _, _ := changes(tc.before, tc.after); strings.Join(failures, "; ") != tc.message {
			t.Errorf("%s: %q, want %q", tc.name, failures, tc.message)
		}
	}
}

// TestSocketsOfANewProcess: they may have other names than before.
func TestSocketsOfANewProcess(t *testing.T) {
	files := func(sockets string) map[string][]byte { return map[string][]byte{"sockets": []byte(sockets)} }
	const first = "plugins_registry/gpu.example.com-1-reg.sock plugins/gpu.example.com/dra-1.sock"
	for _, tc := range []struct{ name, after, message string }{
		{"a new one", "plugins_registry/gpu.example.com-2-reg.sock plugins/gpu.example.com/dra-2.sock", ""},
		{"it does not register", "plugins/gpu.example.com/dra-2.sock", "socket plugins_registry/gpu.example.com-1-reg.sock, which is the driver's, is gone"},
	} {
		before, after := snapshot{}, snapshot{}
		view := nodeView{driver: "gpu.example.com"}
		for s, sockets := range map[*snapshot]string{&before: first, &after: tc.after} {
			if err := s.takeNode("n", view, files(sockets)); err != nil {
				t.Fatal(err)
			}
		}
		failures, _, _ := changes(before, after)
		if got := strings.Join(failures, "; "); (tc.message == "") != (got == "") || !strings.Contains(got, tc.message) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.message)
		}
	}
}

func prepared(t *testing.T, claims ...agentapi.PreparedClaim) []byte {
	t.Helper()
	inner, err := json.Marshal(map[string]any{"kind": "DRACheckpoint", "ClaimInfoStateList": claims})
	if err != nil {
		t.Fatal(err)
	}
	file, err := json.Marshal(map[string]any{"Data": string(inner), "Checksum": 1})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestWhoChangesANode: changes by others do not count against the driver.
func TestWhoChangesANode(t *testing.T) {
	sockets := "plugins_registry/" + driver + "-reg.sock\nplugins_registry/other.example.com-reg.sock\n"
	spec := []byte(`{"kind":"k8s.` + driver + `/claim"}`)
	theirs := agentapi.PreparedClaim{ClaimUID: "uid-theirs", ClaimName: "job", Namespace: "team"}
	for _, tc := range []struct {
		name   string
		before map[string][]byte
		after  map[string][]byte
		fails  string
		notes  string
	}{
		{"nothing", nil, nil, "", ""},
		{"somebody's claim", nil, map[string][]byte{agentapi.Checkpoint: prepared(t, theirs)}, "", "claim team/job (uid-theirs) in the kubelet's checkpoint is new"},
		{"a claim of the run", nil, map[string][]byte{agentapi.Checkpoint: prepared(t, theirs, agentapi.PreparedClaim{ClaimUID: "uid-1", ClaimName: "claim", Namespace: "dratest-x"})}, "left behind: on node a: claim dratest-x/claim (uid-1)", "team/job"},
		{"CDI file of another vendor", nil, map[string][]byte{"cdi/x.json": []byte("{}")}, "", "CDI file x.json is new"},
		{"another driver's name in its own", nil, map[string][]byte{"cdi/x.json": []byte("x" + driver)}, "", "CDI file x.json is new"},
		{"CDI file of the driver", nil, map[string][]byte{"cdi/x.json": spec}, "left behind: on node a: CDI file x.json", ""},
		{"CDI file by its name", nil, map[string][]byte{"cdi/" + driver + "-x.json": nil}, "left behind: on node a: CDI file " + driver, ""},
		{"CDI file for somebody's claim", nil, map[string][]byte{"cdi/uid-theirs.json": spec}, "", "CDI file uid-theirs.json is new"},
		{"CDI file for a claim that is new", nil, map[string][]byte{"cdi/uid-new.json": spec, agentapi.Checkpoint: prepared(t, agentapi.PreparedClaim{ClaimUID: "uid-new", ClaimName: "job", Namespace: "team"})}, "", "CDI file uid-new.json is new"},
		{"CDI file for a claim of the run", nil, map[string][]byte{"cdi/uid-ours.json": nil}, "left behind: on node a: CDI file uid-ours.json", ""},
		{"the driver's CDI file changes", map[string][]byte{"cdi/x.json": spec}, map[string][]byte{"cdi/x.json": append(spec, ' ')}, "", "CDI file x.json has changed"},
		{"its socket is gone", map[string][]byte{"sockets": []byte(sockets)}, nil, "socket plugins_registry/" + driver + "-reg.sock, which is the driver's, is gone", "other.example.com-reg.sock is gone"},
		{"its socket is new", nil, map[string][]byte{"sockets": []byte(sockets)}, "", driver + "-reg.sock is new"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			view := nodeView{driver: driver, ofRun: []string{"uid-ours"}, ofOthers: []string{"uid-theirs"}}
			before, after := snapshot{}, snapshot{}
			for s, files := range map[*snapshot]map[string][]byte{&before: tc.before, &after: tc.after} {
				if err := s.takeNode("a", view, files); err != nil {
					t.Fatal(err)
				}
			}
			failures, notes, restarted := changes(before, after)
			notes = append(notes, restarted...)
			for _, side := range []struct {
				got  []string
				want string
			}{{failures, tc.fails}, {notes, tc.notes}} {
				if text := strings.Join(side.got, "; "); (text == "") != (side.want == "") || !strings.Contains(text, side.want) {
					t.Errorf("says %q, want %q", text, side.want)
				}
			}
		})
	}
}

func TestCheckpointThatIsNoneIsAnError(t *testing.T) {
	if err := (snapshot{}).takeNode("a", nodeView{}, map[string][]byte{agentapi.Checkpoint: []byte("{")}); err == nil {
		t.Error("nothing is said of it")
	}
}
