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

package probe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/spec"
)

const metrics = `# HELP kubernetes_feature_enabled [BETA] This metric records the data about the stage and enablement of a k8s feature.
# TYPE kubernetes_feature_enabled gauge
kubernetes_feature_enabled{name="APIListChunking",stage=""} 1
kubernetes_feature_enabled{name="DRADeviceTaints",stage="BETA"} 0
kubernetes_feature_enabled{name="DRAPrioritizedList",stage=""} 1
kubernetes_feature_enabled{name="DynamicResourceAllocation",stage=""} 1
process_cpu_seconds_total 12.5
`

// server is an API server answering from a table: strings are sent as is, an int is a status, the rest becomes JSON.
func server(t *testing.T, change map[string]any) *rest.Config {
	t.Helper()
	answers := map[string]any{
		"/version":              map[string]string{"gitVersion": "v1.37.1"},
		"/apis/resource.k8s.io": metav1.APIGroup{Name: "resource.k8s.io", Versions: []metav1.GroupVersionForDiscovery{{Version: "v1beta2"}, {Version: "v1"}}},
		"/metrics":              metrics,
		"/api/v1/nodes": corev1.NodeList{Items: []corev1.Node{
			node("worker2", func(n *corev1.Node) { n.Spec.Unschedulable = true }),
			node("worker", func(*corev1.Node) {}),
			node("broken", func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }),
			node("control-plane", func(n *corev1.Node) {
				n.Labels = map[string]string{"node-role.kubernetes.io/control-plane": ""}
				n.Spec.Taints = []corev1.Taint{{Effect: corev1.TaintEffectNoSchedule}}
			}),
		}},
		"/api/v1/namespaces/kube-system/pods": corev1.PodList{Items: []corev1.Pod{
			scheduler("20s"),
			pod("component", "etcd", "registry.example:5000/etcd@sha256:aaaa"),
			pod("k8s-app", "kube-proxy", "registry.example:5000/kube-proxy:v1.36.0@sha256:aaaa"),
			pod("app", "other", "other:1"),
		}},
	}
	for path, answer := range change {
		answers[path] = answer
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch a := answers[r.URL.Path].(type) {
		case nil:
			http.NotFound(w, r)
		case int:
			http.Error(w, http.StatusText(a), a)
		case string:
			_, _ = w.Write([]byte(a))
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(a)
		}
	}))
	t.Cleanup(s.Close)
	return &rest.Config{Host: s.URL}
}

func node(name string, change func(*corev1.Node)) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.37.1", ContainerRuntimeVersion: "containerd://2.3.7",
			OperatingSystem: "linux", Architecture: "amd64"},
	}}
	change(&n)
	return n
}

func pod(key, value, image string) corev1.Pod {
	return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{key: value}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Image: image}}}}
}

func scheduler(bindingTimeout string) corev1.Pod {
	p := pod("component", "kube-scheduler", "registry.k8s.io/kube-scheduler:v1.37.1")
	p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: spec.EnvBindingTimeout, Value: bindingTimeout}}
	return p
}

func TestBindingTimeout(t *testing.T) {
	silent := pod("component", "kube-scheduler", "kube-scheduler:v1.37.1")
	for name, tc := range map[string]struct {
		pods []corev1.Pod
		want time.Duration
	}{
		"the longest counts":   {[]corev1.Pod{scheduler("20s"), scheduler("1m")}, time.Minute},
		"one says nothing":     {[]corev1.Pod{scheduler("20s"), silent}, 0},
		"nonsense":             {[]corev1.Pod{scheduler("soon")}, 0},
		"no scheduler is seen": {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			target, err := probe.Target(t.Context(), server(t, map[string]any{"/api/v1/namespaces/kube-system/pods": corev1.PodList{Items: tc.pods}}))
			if err != nil || target.BindingTimeout != tc.want {
				t.Errorf("got %s and %v, want %s", target.BindingTimeout, err, tc.want)
			}
		})
	}
}

func TestDefaultsProfile(t *testing.T) {
	named := func(name string) corev1.Pod {
		p := scheduler("20s")
		p.Spec.Containers[0].Env = append(p.Spec.Containers[0].Env, corev1.EnvVar{Name: spec.EnvDefaultsProfile, Value: name})
		return p
	}
	for name, tc := range map[string]struct {
		pods []corev1.Pod
		want string
	}{
		"two agree":            {[]corev1.Pod{named("defaults"), named("defaults")}, "defaults"},
		"two differ":           {[]corev1.Pod{named("defaults"), named("others")}, ""},
		"one says nothing":     {[]corev1.Pod{named("defaults"), scheduler("20s")}, ""},
		"the first is silent":  {[]corev1.Pod{scheduler("20s"), named("defaults")}, ""},
		"no scheduler is seen": {nil, ""},
	} {
		target, err := probe.Target(t.Context(), server(t, map[string]any{"/api/v1/namespaces/kube-system/pods": corev1.PodList{Items: tc.pods}}))
		if err != nil || target.DefaultsProfile != tc.want {
			t.Errorf("%s: got %q and %v, want %q", name, target.DefaultsProfile, err, tc.want)
		}
	}
}

// The API server's state of a scheduler-only gate is meaningless.
func TestSchedulerGates(t *testing.T) {
	started := func(image string, args ...string) corev1.Pod {
		p := pod("component", "kube-scheduler", image)
		p.Spec.Containers[0].Command = append([]string{"kube-scheduler"}, args...)
		return p
	}
	const image = "registry.k8s.io/kube-scheduler:v1.37.1"
	on, off := map[spec.Feature]bool{spec.FilterTimeout: true}, map[spec.Feature]bool{spec.FilterTimeout: false}
	for name, tc := range map[string]struct {
		pods   []corev1.Pod
		want   map[spec.Feature]bool
		unseen string
	}{
		"by default":            {[]corev1.Pod{started(image)}, on, ""},
		"switched off":          {[]corev1.Pod{started(image, "--v=2", "--feature-gates=A=true,DRASchedulerFilterTimeout=false")}, off, ""},
		"as two arguments":      {[]corev1.Pod{started(image, "--feature-gates", "DRASchedulerFilterTimeout=false")}, off, ""},
		"all beta off":          {[]corev1.Pod{started(image, "--feature-gates=AllBeta=false")}, off, ""},
		"all beta but this off": {[]corev1.Pod{started(image, "--feature-gates=DRASchedulerFilterTimeout=true,AllBeta=false")}, on, ""},
		"ours":                  {[]corev1.Pod{started("dra-conformance.github.io/dra-scheduler:v1.37.1-aaaa")}, on, ""},
		"distribution's build":  {[]corev1.Pod{started("registry.k8s.io/kube-scheduler:v1.37.1_k3s1")}, on, ""},
		"of a vendor":           {[]corev1.Pod{started("registry.example/kube-scheduler:v1.37.1")}, nil, "its image is registry.example/kube-scheduler:v1.37.1"},
		"of no version":         {[]corev1.Pod{started("registry.k8s.io/kube-scheduler@sha256:aaaa")}, nil, "tells no defaults"},
		"emulates another":      {[]corev1.Pod{started(image, "--emulated-version=1.33")}, nil, "emulates another version"},
		"nonsense":              {[]corev1.Pod{started(image, "--feature-gates=A=perhaps")}, nil, "read --feature-gates=A=perhaps"},
		"differ":                {[]corev1.Pod{started(image), started(image, "--feature-gates=DRASchedulerFilterTimeout=false")}, nil, "gates differ"},
		"not seen":              {nil, nil, "no pod of the scheduler can be seen"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := probe.Target(t.Context(), server(t, map[string]any{"/api/v1/namespaces/kube-system/pods": corev1.PodList{Items: tc.pods}}))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, got.SchedulerGates); d != "" || (tc.unseen == "") != (got.SchedulerGatesUnseen == "") || !strings.Contains(got.SchedulerGatesUnseen, tc.unseen) {
				t.Errorf("unseen %q, want %q; gates (-want +got):\n%s", got.SchedulerGatesUnseen, tc.unseen, d)
			}
		})
	}
}

func TestTarget(t *testing.T) {
	config := server(t, nil)
	address := config.Host
	config.Host = strings.Replace(address, "://", "://admin:secret@", 1) // reports are published
	got, err := probe.Target(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	n := func(name string, schedulable bool) spec.Node {
		return spec.Node{Name: name, Kubelet: "v1.37.1", Runtime: "containerd://2.3.7", OS: "linux", Arch: "amd64", Schedulable: schedulable}
	}
	controlPlane := n("control-plane", false)
	controlPlane.ControlPlane = true
	want := spec.Target{
		Server: address, Kubernetes: "v1.37.1", ResourceAPIs: []string{"v1", "v1beta2"},
		Gates:          map[spec.Feature]bool{"DRADeviceTaints": false, "DRAPrioritizedList": true, "DynamicResourceAllocation": true},
		SchedulerGates: map[spec.Feature]bool{spec.FilterTimeout: true},
		Nodes:          []spec.Node{n("broken", false), controlPlane, n("worker", true), n("worker2", false)},
		Components:     map[string]string{"kube-scheduler": "v1.37.1", "etcd": "unknown", "kube-proxy": "v1.36.0"},
		Running: []spec.Component{
			kubeletOf("broken"), kubeletOf("control-plane"), kubeletOf("worker"), kubeletOf("worker2"),
			{Name: "scheduler", Program: "kube-scheduler", Whose: spec.Stock, Version: "v1.37.1", Image: "registry.k8s.io/kube-scheduler:v1.37.1"},
		},
		Stack:          map[string]string{"scheduler": "stock", "kubelet": "stock"},
		BindingTimeout: 20 * time.Second,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if err := probe.Usable(got); err != nil {
		t.Errorf("not usable: %v", err)
	}
}

// A node simulated by kwok has no kubelet to query or to count as stock.
func TestTargetWithSimulatedNodes(t *testing.T) {
	fake := node("a", func(n *corev1.Node) { n.Annotations = map[string]string{"kwok.x-k8s.io/node": "fake"} })
	got, err := probe.Target(t.Context(), server(t, map[string]any{
		"/api/v1/nodes":                 corev1.NodeList{Items: []corev1.Node{fake}},
		"/api/v1/nodes/a/proxy/metrics": metrics,
	}))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Workers()) > 0 || got.Simulated() != 1 || got.Nodes[0].KubeletGates != nil || got.Stack["kubelet"] != "" || len(got.ComponentsOf(spec.Kubelet)) > 0 {
		t.Errorf("workers %v, nodes %+v, stack %v, components %v", got.Workers(), got.Nodes, got.Stack, got.Running)
	}
	if err := probe.Usable(got); err != nil {
		t.Errorf("it is of no use for cases that need no node: %v", err)
	}
}

// A kubelet of v1.34 knows the gate, and has it off.
func TestTargetWithOlderKubelet(t *testing.T) {
	old := strings.Replace(metrics, "DRAPrioritizedList", "DRAExtendedResource", 1)
	got, err := probe.Target(t.Context(), server(t, map[string]any{
		"/api/v1/nodes/worker/proxy/metrics": strings.Replace(old, `"DRAExtendedResource",stage=""} 1`, `"DRAExtendedResource",stage="ALPHA"} 0`, 1),
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range got.Nodes {
		want := map[string]map[spec.Feature]bool{"worker": {spec.ExtendedResource: false}}[n.Name]
		if d := cmp.Diff(want, n.KubeletGates); d != "" {
			t.Errorf("%s: %s", n.Name, d)
		}
	}
}

// Only the first kubelet of a version was queried, and the others were assumed to have its gates.
func TestEachKubeletIsAskedForItsGates(t *testing.T) {
	var nodes []corev1.Node
	change := map[string]any{}
	want := map[string]bool{}
	for i := range 40 {
		name := fmt.Sprint("worker-", i)
		nodes = append(nodes, node(name, func(*corev1.Node) {}))
		want[name] = i%2 == 0
		change["/api/v1/nodes/"+name+"/proxy/metrics"] = fmt.Sprintf("kubernetes_feature_enabled{name=\"DRAExtendedResource\",stage=\"BETA\"} %d\n", (i+1)%2)
	}
	change["/api/v1/nodes"] = corev1.NodeList{Items: nodes}
	delete(want, "worker-39") // may not be seen
	change["/api/v1/nodes/worker-39/proxy/metrics"] = http.StatusForbidden
	got, err := probe.Target(t.Context(), server(t, change))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, n := range got.Nodes {
		if on, known := n.KubeletGates[spec.ExtendedResource]; known {
			seen[n.Name] = on
		}
	}
	if d := cmp.Diff(want, seen); d != "" {
		t.Errorf("gates (-want +got):\n%s", d)
	}
}

func TestTargetWithoutPermissions(t *testing.T) {
	got, err := probe.Target(t.Context(), server(t, map[string]any{
		"/metrics": http.StatusForbidden, "/api/v1/namespaces/kube-system/pods": http.StatusForbidden}))
	if err != nil {
		t.Fatal(err)
	}
	if got.Gates != nil || got.Components != nil || !cmp.Equal(got.Stack, map[string]string{"kubelet": "stock"}) || !strings.Contains(got.GatesUnseen, "metrics cannot be read") {
		t.Errorf("got gates %v (%s), components %v", got.Gates, got.GatesUnseen, got.Components)
	}
}

func TestTargetErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		answers     map[string]any
		want        string
		unreachable bool
	}{
		"DRA is not served":         {map[string]any{"/apis/resource.k8s.io": nil}, "DRA is not served by this cluster", false},
		"wrong credentials":         {map[string]any{"/version": http.StatusUnauthorized}, "does not accept the kubeconfig's credentials", true},
		"something else answers":    {map[string]any{"/version": "<html>"}, "not from a Kubernetes API server", true},
		"nodes cannot be listed":    {map[string]any{"/api/v1/nodes": http.StatusForbidden}, "list nodes", false},
		"group cannot be asked for": {map[string]any{"/apis/resource.k8s.io": http.StatusForbidden}, "ask for the versions of resource.k8s.io", false},
	} {
		t.Run(name, func(t *testing.T) {
			config := server(t, tc.answers)
			_, err := probe.Target(t.Context(), config)
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), config.Host) {
				t.Errorf("%v does not say %q and %q", err, tc.want, config.Host)
			}
			if errors.Is(err, probe.ErrUnreachable) != tc.unreachable {
				t.Errorf("unreachable is not %t: %v", tc.unreachable, err)
			}
		})
	}
}

func TestTargetNamesTheAddressThatDoesNotAnswer(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	_, err := probe.Target(t.Context(), &rest.Config{Host: s.URL})
	if !errors.Is(err, probe.ErrUnreachable) || !strings.Contains(err.Error(), s.URL) {
		t.Errorf("got %v", err)
	}
}

func TestTargetGivesUpInTime(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(release) })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := probe.Target(ctx, &rest.Config{Host: s.URL})
	if !errors.Is(err, probe.ErrUnreachable) || !strings.Contains(err.Error(), "nothing answered in time") {
		t.Errorf("got %v", err)
	}
}

func TestUsable(t *testing.T) {
	worker := func(runtime string) spec.Node {
		return spec.Node{Name: "w", OS: "linux", Schedulable: true, Runtime: runtime}
	}
	for name, tc := range map[string]struct {
		target spec.Target
		want   string
	}{
		"fine":                {spec.Target{ResourceAPIs: []string{"v1"}, Nodes: []spec.Node{worker("containerd://1.7.2")}}, ""},
		"unknown runtime":     {spec.Target{ResourceAPIs: []string{"v1"}, Nodes: []spec.Node{worker("other://0.1")}}, ""},
		"one node has CDI":    {spec.Target{ResourceAPIs: []string{"v1"}, Nodes: []spec.Node{worker("containerd://1.6.2"), {Name: "x", OS: "linux", Schedulable: true, Runtime: "cri-o://1.30.1"}}}, ""},
		"old API":             {spec.Target{ResourceAPIs: []string{"v1beta1"}, Nodes: []spec.Node{worker("")}}, "only as resource.k8s.io v1beta1"},
		"no schedulable node": {spec.Target{ResourceAPIs: []string{"v1"}, Nodes: []spec.Node{{Name: "w", OS: "linux"}}}, "none of the 1 node(s)"},
		"old containerd":      {spec.Target{ResourceAPIs: []string{"v1"}, Nodes: []spec.Node{worker("containerd://1.6.9")}}, "no node with CDI support"},
		"no node at all":      {spec.Target{ResourceAPIs: []string{"v1"}}, ""},
		"docker":              {spec.Target{ResourceAPIs: []string{"v1"}, Nodes: []spec.Node{worker("docker://24.0.0")}}, "no node with CDI support"},
	} {
		t.Run(name, func(t *testing.T) {
			err := probe.Usable(tc.target)
			if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// With two API servers, the request count of one was taken for the count of both.
func TestAPIServers(t *testing.T) {
	now := time.Now()
	lease := func(age time.Duration) coordinationv1.Lease {
		return coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: now.Add(-age)}}}
	}
	for name, tc := range map[string]struct {
		leases any
		want   int
	}{
		"two":                {coordinationv1.LeaseList{Items: []coordinationv1.Lease{lease(0), lease(9 * time.Second), lease(50 * time.Minute)}}, 2},
		"another clock":      {coordinationv1.LeaseList{Items: []coordinationv1.Lease{lease(time.Hour), lease(2 * time.Hour)}}, 1},
		"never renewed":      {coordinationv1.LeaseList{Items: []coordinationv1.Lease{{}}}, 0},
		"may not be listed":  {http.StatusForbidden, 0},
		"no leases are kept": {coordinationv1.LeaseList{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			target, err := probe.Target(t.Context(), server(t, map[string]any{"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases": tc.leases}))
			if err != nil || target.APIServers != tc.want {
				t.Errorf("got %d and %v, want %d", target.APIServers, err, tc.want)
			}
		})
	}
}
