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

package undertest

import (
	"context"
	"errors"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestRolledOut(t *testing.T) {
	for name, tc := range map[string]struct {
		generation int64
		status     appsv1.DaemonSetStatus
		done       bool
	}{
		"done":               {2, appsv1.DaemonSetStatus{ObservedGeneration: 2, DesiredNumberScheduled: 2, UpdatedNumberScheduled: 2, NumberAvailable: 2}, true},
		"not noticed yet":    {3, appsv1.DaemonSetStatus{ObservedGeneration: 2, DesiredNumberScheduled: 2, UpdatedNumberScheduled: 2, NumberAvailable: 2}, false},
		"one is old":         {2, appsv1.DaemonSetStatus{ObservedGeneration: 2, DesiredNumberScheduled: 2, UpdatedNumberScheduled: 1, NumberAvailable: 2}, false},
		"one is not ready":   {2, appsv1.DaemonSetStatus{ObservedGeneration: 2, DesiredNumberScheduled: 2, UpdatedNumberScheduled: 2, NumberAvailable: 1, NumberUnavailable: 1}, false},
		"one node more came": {2, appsv1.DaemonSetStatus{ObservedGeneration: 2, DesiredNumberScheduled: 3, UpdatedNumberScheduled: 2, NumberAvailable: 2}, false},
	} {
		if done, seen := rolledOut(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Generation: tc.generation}, Status: tc.status}); done != tc.done {
			t.Errorf("%s: done is %t (%s)", name, done, seen)
		}
	}
}

func TestSideBySide(t *testing.T) {
	running := corev1.ContainerStatus{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
	ended := corev1.ContainerStatus{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}}
	pod := func(name, node string, container corev1.ContainerStatus, deleted bool) corev1.Pod {
		p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{NodeName: node}}
		p.Status.ContainerStatuses = []corev1.ContainerStatus{container}
		if deleted {
			p.DeletionTimestamp = &metav1.Time{}
		}
		return p
	}
	for name, tc := range map[string]struct {
		pods []corev1.Pod
		want string
	}{
		"one on each node":          {[]corev1.Pod{pod("a", "n1", running, false), pod("b", "n2", running, false)}, ""},
		"the old one has ended":     {[]corev1.Pod{pod("a", "n1", ended, true), pod("b", "n1", running, false)}, ""},
		"the new one has not begun": {[]corev1.Pod{pod("a", "n1", running, true), pod("b", "n1", corev1.ContainerStatus{}, false)}, ""},
		"the old one is going":      {[]corev1.Pod{pod("a", "n1", running, true), pod("b", "n1", running, false)}, "pods a and b of the driver run side by side on n1"},
	} {
		if got := sideBySide(tc.pods); got != tc.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A template differing in a byte gets new pods.
func TestHalfwayAndUndone(t *testing.T) {
	before := &appsv1.DaemonSet{Spec: appsv1.DaemonSetSpec{MinReadySeconds: 3, Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{NodeName: "n"}}}}
	changed := halfway(before, time.Unix(0, 0))
	if before.Spec.Template.Annotations != nil {
		t.Error("what there was is changed")
	}
	want := before.DeepCopy()
	want.Spec.MinReadySeconds, want.Spec.Template.Annotations = math.MaxInt32, map[string]string{restartedAt: "1970-01-01T00:00:00Z"}
	if d := cmp.Diff(want, changed); d != "" {
		t.Errorf("halfway: %s", d)
	}
	if d := cmp.Diff(before, undone(changed, before)); d != "" {
		t.Errorf("undone: %s", d)
	}
}

func TestWhatUninstallingLeaves(t *testing.T) {
	s := spec.DriverUnderTest{Driver: vendor, CheckpointPaths: []string{"/var/lib/kubelet/plugins/gpu/state.json"}}
	must, may := Left(s, map[string][]byte{
		"sockets":               []byte("plugins_registry/" + vendor + "-reg.sock\nplugins/other.example.com/dra.sock\nplugins/x" + vendor + "/dra.sock\n"),
		"plugins":               []byte("plugins/" + vendor + "\nplugins/gpu/state.json\nplugins/other.example.com\n"),
		"cdi/var/run/cdi/a.yml": []byte("kind: " + vendor + "/gpu"),
		"cdi/var/run/cdi/b.yml": []byte("kind: other.example.com/gpu"),
	})
	if d := cmp.Diff([]string{"socket plugins_registry/" + vendor + "-reg.sock", "CDI file /var/run/cdi/a.yml", "checkpoint plugins/gpu/state.json"}, must); d != "" {
		t.Errorf("must not stay: %s", d)
	}
	if d := cmp.Diff([]string{"plugins/" + vendor}, may); d != "" {
		t.Errorf("may stay: %s", d)
	}
}

func slicesOf(node string, devices ...string) map[types.UID]resourceapi.ResourceSlice {
	if len(devices) == 0 {
		return map[types.UID]resourceapi.ResourceSlice{}
	}
	s := resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{Driver: vendor, NodeName: &node, Pool: resourceapi.ResourcePool{Name: node, ResourceSliceCount: 1}}}
	for _, d := range devices {
		s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: d})
	}
	return map[types.UID]resourceapi.ResourceSlice{"1": s}
}

// TestNodeWithoutDevices: devices that came back were still gone.
func TestNodeWithoutDevices(t *testing.T) {
	h := &SliceHistory{}
	h.look(vendor, slicesOf("a", "gpu-0"))
	h.look(vendor, slicesOf("a", "gpu-1"))
	if len(h.without) > 0 {
		t.Errorf("nodes without devices: %v", h.without)
	}
	h.look(vendor, slicesOf("a"))
	h.look(vendor, slicesOf("a", "gpu-0"))
	if h.without["a"] == "" {
		t.Error("a node whose slices were gone for a moment had devices all the time")
	}
}

// TestDevicesBeforeTheCase: life/uninstalled ran right after the restart of a kubelet, saw no
// devices before the case, and waited for none until its end.
func TestDevicesBeforeTheCase(t *testing.T) {
	f, n, _ := newVendorCase(t)
	f.Env().Agents = &specNode{node: n}
	driver, looks := Of(f.T), 0
	driver.spec.Devices = 2
	client := fake.NewClientset()
	client.PrependReactor("list", "resourceslices", func(k8stesting.Action) (bool, runtime.Object, error) {
		list := &resourceapi.ResourceSliceList{}
		if looks++; looks > 1 {
			list.Items = append(list.Items, slicesOf("worker", "gpu-0")["1"])
		}
		if looks > 4 { // of a second pool
			second := slicesOf("worker", "gpu-1")["1"]
			second.Spec.Pool.Name = "second"
			list.Items = append(list.Items, second)
		}
		return true, list, nil
	})
	f.Client = client
	f.Succeeds(t, func() {
		if devices := driver.Devices("worker"); len(devices) != 2 {
			t.Errorf("devices: %v", devices)
		}
	})
}

func TestDifferenceOfDevices(t *testing.T) {
	device := func(name string) pools.Device { return pools.Device{Pool: "n", Device: resourceapi.Device{Name: name}} }
	tainted := func(nanoseconds time.Duration) pools.Device {
		d := device("a")
		d.Taints = []resourceapi.DeviceTaint{{Key: "k", TimeAdded: &metav1.Time{}}}
		d.Taints[0].TimeAdded.Time = d.Taints[0].TimeAdded.Add(nanoseconds)
		return d
	}
	for _, tc := range []struct {
		name          string
		before, after []pools.Device
		message       string
	}{
		{"the same", []pools.Device{device("a"), device("b")}, []pools.Device{device("b"), device("a")}, ""},
		{"one is gone", []pools.Device{device("a"), device("b")}, []pools.Device{device("a")}, "1 device(s), and no longer n/b"},
		{"one is new", []pools.Device{device("a")}, []pools.Device{device("a"), device("b")}, "2 device(s), and new n/b"},
		{"taints of other times", []pools.Device{tainted(1)}, []pools.Device{tainted(2)}, ""},
		{"a taint", []pools.Device{device("a")}, []pools.Device{tainted(1)}, "no longer n/a"},
	} {
		if got := difference(lines(tc.before), lines(tc.after)); (got == "") != (tc.message == "") || !strings.Contains(got, tc.message) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.message)
		}
	}
}

// vendorsHooks return an error.
type vendorsHooks struct{ err error }

func (h vendorsHooks) RunHook(context.Context, spec.HookName, spec.Hook, ...string) (string, error) {
	return "", h.err
}

// TestHookThatFailsBlamesNobody: a failed command of the vendor says nothing about the driver.
func TestHookThatFailsBlamesNobody(t *testing.T) {
	for name, tc := range map[string]struct {
		hooks    Hooks
		declared bool
		fails    bool
		blocked  bool
	}{
		"works":        {vendorsHooks{}, true, false, false},
		"fails":        {vendorsHooks{errors.New("no licence")}, true, true, true},
		"not declared": {vendorsHooks{}, false, true, false},
		"nobody can":   {nil, true, true, false},
	} {
		f, _, _ := newVendorCase(t)
		driver := f.driver
		driver.hooks = tc.hooks
		if tc.declared {
			driver.spec.Hooks = map[spec.HookName]spec.Hook{spec.HookHeal: {}}
		}
		if err := driver.hook(t.Context(), spec.HookHeal); (err != nil) != tc.fails || (f.blocked(t) != "") != tc.blocked {
			t.Errorf("%s: %v, blocked: %q", name, err, f.blocked(t))
		}
	}
}

// TestNodeThatIsNotSeenWhole: unseen parts of a node do not count as gone.
func TestNodeThatIsNotSeenWhole(t *testing.T) {
	whole := map[string][]byte{"sockets": nil, "plugins": nil, "cdi-files": nil}
	for _, tc := range []struct{ without, path, message string }{
		{"", "", ""},
		{"", "/var/lib/kubelet/plugins/gpu/state.json", ""},
		{"", "/var/lib/gpu/state.json", "/var/lib/gpu/state.json is not in"},
		{"sockets", "", "its sockets"},
		{"plugins", "", "its plugins"},
		{"cdi-files", "", "its cdi-files"},
	} {
		files, s := maps.Clone(whole), spec.DriverUnderTest{Driver: vendor}
		delete(files, tc.without)
		if tc.path != "" {
			s.CheckpointPaths = []string{tc.path}
		}
		if err := Unseen(s, files); (err == nil) != (tc.message == "") || err != nil && !strings.Contains(err.Error(), tc.message) {
			t.Errorf("%+v: %v", tc, err)
		}
	}
}

// TestDriverIsBackWhenItIsPutBack: a finished hook is not a serving driver.
func TestDriverIsBackWhenItIsPutBack(t *testing.T) {
	for _, served := range []bool{true, false} {
		f, _, _ := newVendorCase(t)
		driver := f.driver
		driver.hooks = vendorsHooks{}
		driver.spec.Hooks = map[spec.HookName]spec.Hook{spec.HookInstall: {}}
		driver.spec.Namespace, driver.spec.DaemonSet = "gpu", "driver"
		f.Client = fake.NewClientset(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "gpu", Name: "driver"}})
		if served {
			s := slicesOf("worker", "gpu-0")["1"]
			s.Name = "slice"
			f.Client = fake.NewClientset(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "gpu", Name: "driver"}}, &s)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if err := driver.restore(ctx, spec.HookInstall); (err == nil) != served {
			t.Errorf("served: %t, %v", served, err)
		}
		cancel()
	}
}
