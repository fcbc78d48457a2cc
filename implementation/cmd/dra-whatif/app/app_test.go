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

package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/dra-conformance/dratest/implementation/simulation"
)

const groups = `groups:
- name: gpu
  cost: 3
  node:
    metadata: {name: template}
    status: {allocatable: {cpu: "8", pods: "110"}}
  slices:
  - spec:
      driver: gpu.example.com
      nodeName: template
      pool: {name: template}
      devices: [{name: gpu-0}, {name: gpu-1}]
`

// archive writes a cluster with one full node and some pods waiting for a device.
func archive(t *testing.T, waiting int) string {
	t.Helper()
	dir := t.TempDir()
	pods := "- apiVersion: v1\n  kind: Pod\n  metadata: {namespace: ns, name: agent, uid: agent, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: d, controller: true}]}\n  spec: {nodeName: worker, containers: [{name: c, resources: {requests: {cpu: 1}}}]}\n"
	claims := "- apiVersion: resource.k8s.io/v1\n  kind: ResourceClaim\n  metadata: {namespace: ns, name: taken, uid: taken}\n  spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}\n" +
		"  status: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: worker, device: gpu-0}]}}, reservedFor: [{resource: pods, name: x, uid: x}]}\n"
	for i := range waiting {
		name := "pod-" + string(rune('a'+i))
		pods += "- apiVersion: v1\n  kind: Pod\n  metadata: {namespace: ns, name: " + name + ", uid: " + name + "}\n  spec: {containers: [{name: c}], resourceClaims: [{name: claim, resourceClaimName: " + name + "}]}\n"
		claims += "- apiVersion: resource.k8s.io/v1\n  kind: ResourceClaim\n  metadata: {namespace: ns, name: " + name + ", uid: claim-" + name + "}\n  spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}\n"
	}
	files := map[string]string{
		"nodes": "- metadata: {name: worker, labels: {kubernetes.io/hostname: worker}}\n  status: {allocatable: {cpu: 8, pods: 110}}\n",
		"pods":  pods, "resourceclaims": claims,
		"deviceclasses":  "- apiVersion: resource.k8s.io/v1\n  kind: DeviceClass\n  metadata: {name: gpu}\n",
		"resourceslices": "- apiVersion: resource.k8s.io/v1\n  kind: ResourceSlice\n  metadata: {name: worker-slice}\n  spec: {driver: gpu.example.com, nodeName: worker, pool: {name: worker, generation: 4, resourceSliceCount: 1}, devices: [{name: gpu-0, attributes: {uuid: {string: GPU-1}}}]}\n",
	}
	if err := os.Mkdir(filepath.Join(dir, "objects"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		write(t, filepath.Join(dir, "objects", name+".yaml"), content)
	}
	return dir
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func run(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = Run(t.Context(), args, &o, &e)
	return code, o.String(), e.String()
}

func TestAnswers(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "groups.yaml"), groups)
	code, out, errOut := run(t, "-f", file, "--from", archive(t, 3))
	if code != 0 || errOut != "" {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	for _, want := range []string{
		"3 pending pods: 0 fit existing nodes, 3 need new nodes, 0 cannot run",
		"gpu    2          6     1",
		"ns/pod-c  gpu-new-2  gpu-new-2/gpu-0",
		"Note: an archive only has pods with claims",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	code, out, _ = run(t, "-f", file, "--from", archive(t, 3), "-o", "json")
	var told report
	if err := json.Unmarshal([]byte(out), &told); err != nil || code != 0 || told.Cost != 6 || told.Bound != 6 || len(told.Pods) != 3 || told.Pods[2].Devices[0].Pool != "gpu-new-2" {
		t.Errorf("exit code %d, error %v: %s", code, err, out)
	}
	limited := write(t, filepath.Join(t.TempDir(), "groups.yaml"), strings.Replace(groups, "cost: 3", "max: 1", 1))
	if code, out, _ = run(t, "-f", limited, "--from", archive(t, 3)); code != 1 || !strings.Contains(out, "Cannot run:\n  ns/pod-c: 1 node: cannot allocate all claims") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestLearnedGroupsServe(t *testing.T) {
	from := archive(t, 2)
	code, out, errOut := run(t, "learn", "worker", "--from", from)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	if !strings.Contains(out, `# Not shared by new nodes: attribute uuid of device gpu-0 is "GPU-1"`) || strings.Contains(out, "To be fixed") {
		t.Error(out)
	}
	file := write(t, filepath.Join(t.TempDir(), "groups.yaml"), out)
	if code, out, errOut = run(t, "-f", file, "--from", from); code != 0 || !strings.Contains(out, "like-worker  2") {
		t.Errorf("exit code %d: %s\n%s", code, errOut, out)
	}
	if code, _, errOut = run(t, "learn", "none", "--from", from); code != 2 || !strings.Contains(errOut, "there is no node none") {
		t.Errorf("exit code %d: %s", code, errOut)
	}
}

// Init containers and the overhead of DaemonSet pods were not subtracted from new nodes.
func TestPodsAreLearnedWithAllThatTheyAskFor(t *testing.T) {
	cpu := func(n string) v1.ResourceList { return v1.ResourceList{v1.ResourceCPU: resource.MustParse(n)} }
	requests := func(n string) v1.ResourceRequirements { return v1.ResourceRequirements{Requests: cpu(n)} }
	agent := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "agent", OwnerReferences: []metav1.OwnerReference{{Kind: "DaemonSet", Controller: new(true)}}}}
	agent.Spec = v1.PodSpec{
		NodeName: "worker", Overhead: cpu("1"),
		InitContainers: []v1.Container{{Name: "sidecar", RestartPolicy: new(v1.ContainerRestartPolicyAlways), Resources: requests("2")}, {Name: "init", Resources: requests("3")}},
		Containers:     []v1.Container{{Name: "c", Resources: requests("1"), Ports: []v1.ContainerPort{{ContainerPort: 1}, {ContainerPort: 80, HostPort: 80}}}},
	}
	worker := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker"}, Status: v1.NodeStatus{DeclaredFeatures: []string{"F"}}}
	text, err := learn(simulation.Objects{Nodes: []*v1.Node{worker}, Pods: []*v1.Pod{agent}}, "worker")
	if err != nil {
		t.Fatal(err)
	}
	learned, err := parseGroups("learned", text)
	if err != nil {
		t.Fatal(err)
	}
	got := learned[0].Pods[0]
	// The init container next to the sidecar requests more than the container.
	if sum := resourcehelper.PodRequests(got, resourcehelper.PodResourcesOptions{}); sum.Cpu().String() != "6" {
		t.Errorf("%s CPUs are asked for, want 6: %+v", sum.Cpu(), got.Spec)
	}
	if ports := got.Spec.Containers[0].Ports; len(ports) != 1 || ports[0].HostPort != 80 || !slices.Equal(learned[0].Node.Status.DeclaredFeatures, []string{"F"}) {
		t.Errorf("ports %v, node %+v", ports, learned[0].Node.Status)
	}
}

// A group whose own pod does not fit ended the answer with the exit code of an invalid file.
func TestRefusedGroupsAreTold(t *testing.T) {
	bad := "groups:\n- name: bad\n  node: {metadata: {name: bad}, status: {allocatable: {cpu: 1, pods: 10}}}\n" +
		"  pods: [{metadata: {namespace: ns, name: own}, spec: {containers: [{name: c, resources: {requests: {cpu: 2}}}]}}]\n"
	file := write(t, filepath.Join(t.TempDir(), "groups.yaml"), bad+strings.TrimPrefix(groups, "groups:\n"))
	code, out, errOut := run(t, "-f", file, "--from", archive(t, 1))
	if code != 0 || errOut != "" || !strings.Contains(out, "No nodes can be added to group bad: add node bad-new-1: its own pod ns/own-bad-new-1 does not fit: 1 node: Insufficient cpu") {
		t.Errorf("exit code %d: %s\n%s", code, errOut, out)
	}
	file = write(t, filepath.Join(t.TempDir(), "groups.yaml"), bad)
	if code, out, _ = run(t, "-f", file, "--from", archive(t, 1)); code != 1 || !strings.Contains(out, "a node of group bad: add node bad-new-1") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestOnlyOneNamespace(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "groups.yaml"), groups)
	if code, out, _ := run(t, "-f", file, "--from", archive(t, 3), "-n", "other"); code != 0 || !strings.HasPrefix(out, "0 pending pods") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestShrink(t *testing.T) {
	from := archive(t, 1)
	code, out, errOut := run(t, "shrink", "worker", "--from", from)
	if code != 1 || errOut != "" || !strings.HasPrefix(out, "Node worker cannot go: 0 pods have to move\n\nKept by: claim ns/taken has devices of the node and is reserved for pods x") {
		t.Errorf("exit code %d: %s\n%s", code, errOut, out)
	}
	claims := filepath.Join(from, "objects", "resourceclaims.yaml")
	content, err := os.ReadFile(claims)
	if err != nil {
		t.Fatal(err)
	}
	write(t, claims, strings.Replace(string(content), ", reservedFor: [{resource: pods, name: x, uid: x}]", "", 1))
	if code, out, _ = run(t, "shrink", "worker", "--from", from); code != 0 || !strings.HasPrefix(out, "Node worker can go: 0 pods have to move") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	pods := filepath.Join(from, "objects", "pods.yaml")
	if content, err = os.ReadFile(pods); err != nil {
		t.Fatal(err)
	}
	write(t, pods, string(content)+"- metadata: {namespace: ns, name: user, uid: user}\n  spec: {nodeName: worker, containers: [{name: c}]}\n")
	code, out, _ = run(t, "shrink", "worker", "--from", from, "-o", "json")
	var told departure
	if err := json.Unmarshal([]byte(out), &told); err != nil || code != 1 || told.Possible || len(told.Pods) != 1 || told.Pods[0].Reason != "there are no nodes" {
		t.Errorf("exit code %d, error %v: %s", code, err, out)
	}
	if code, _, errOut := run(t, "shrink", "none", "--from", from); code != 2 || !strings.Contains(errOut, "there is no node none") {
		t.Errorf("exit code %d: %s", code, errOut)
	}
}

// The answer assumed Kubernetes v1.37 with defaults for every cluster.
func TestFeatureGatesOfTheCluster(t *testing.T) {
	metrics := `kubernetes_feature_enabled{name="DRADeviceTaints",stage="BETA"} 0
kubernetes_feature_enabled{name="DRAConsumableCapacity",stage="BETA"} 1
kubernetes_feature_enabled{name="DRAListTypeAttributes",stage="ALPHA"} 1
kubernetes_feature_enabled{name="NodeDeclaredFeatures",stage="ALPHA"} 0
`
	from := archive(t, 0)
	if err := os.Mkdir(filepath.Join(from, "metrics"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(from, metricsFile), metrics)
	w, err := readArchive(from)
	if err != nil {
		t.Fatal(err)
	}
	gates := utilfeature.DefaultFeatureGate.DeepCopy()
	config, notes, err := configure(gates, &w, map[string]bool{"DRAAdminAccess": true})
	if err != nil {
		t.Fatal(err)
	}
	// An older cluster does not know the gate for partitionable devices, so the feature is off.
	if f := config.Features; f.DeviceTaints || !f.ConsumableCapacity || f.PartitionableDevices || !f.AdminAccess || !config.NoDeclaredFeatures {
		t.Errorf("%+v", f)
	}
	if want := []string{"feature gate DRAListTypeAttributes is not supported and ignored"}; !slices.Equal(notes, want) {
		t.Errorf("got %q, want %q", notes, want)
	}
	if _, notes, err := configure(gates, &world{gatesUnread: "forbidden"}, nil); err != nil || len(notes) == 0 || !strings.Contains(notes[0], "unknown (forbidden)") {
		t.Errorf("got %q and error %v", notes, err)
	}
	var wrong exitError
	if _, _, err := configure(gates, &w, map[string]bool{"None": true}); !errors.As(err, &wrong) || wrong.code != 2 {
		t.Errorf("got %v", err)
	}
}

// Gates locked in this version were assumed to be on in older clusters, and overriding them failed.
func TestLockedGatesOfOlderClusters(t *testing.T) {
	gates := utilfeature.DefaultFeatureGate.DeepCopy()
	rules := func() (o simulation.Objects) {
		o.TaintRules = []*resourceapi.DeviceTaintRule{{}}
		return o
	}
	w := world{Objects: rules(), gates: map[string]bool{"DRAPrioritizedList": false, "DRADeviceTaints": true}}
	config, _, err := configure(gates, &w, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f := config.Features; f.PrioritizedList || f.ExtendedResource || f.AdminAccess || !f.DeviceTaints || !config.NoDeclaredFeatures || w.TaintRules != nil {
		t.Errorf("%+v, rules %v", config, w.TaintRules)
	}
	w = world{Objects: rules()}
	config, _, err = configure(utilfeature.DefaultFeatureGate.DeepCopy(), &w, map[string]bool{"NodeDeclaredFeatures": false, "DRAExtendedResource": false})
	if err != nil {
		t.Fatal(err)
	}
	if f := config.Features; !f.PrioritizedList || f.ExtendedResource || !config.NoDeclaredFeatures || len(w.TaintRules) != 1 {
		t.Errorf("%+v, rules %v", config, w.TaintRules)
	}
}

// full is an output without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// Write errors were reported as wrong usage.
func TestOutputThatCannotBeWritten(t *testing.T) {
	var errOut bytes.Buffer
	if code := Run(t.Context(), []string{"learn", "worker", "--from", archive(t, 0)}, full{}, &errOut); code != 3 || !strings.Contains(errOut.String(), "write the group: no space left") {
		t.Errorf("exit code %d: %s", code, errOut.String())
	}
}

// Unreadable metrics were reported as missing.
func TestMetricsThatCannotBeRead(t *testing.T) {
	from := archive(t, 0)
	if err := os.MkdirAll(filepath.Join(from, metricsFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, _, errOut := run(t, "learn", "worker", "--from", from); code != 3 || !strings.Contains(errOut, "is a directory") {
		t.Errorf("exit code %d: %s", code, errOut)
	}
}

// A cordoned node has a taint new nodes do not get.
func TestTaintsThatPassAreNotLearned(t *testing.T) {
	worker := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker"}, Spec: v1.NodeSpec{Unschedulable: true, Taints: []v1.Taint{
		{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule}, {Key: "example.com/gpu", Effect: v1.TaintEffectNoSchedule},
	}}}
	text, err := learn(simulation.Objects{Nodes: []*v1.Node{worker}}, "worker")
	if err != nil || strings.Contains(string(text), v1.TaintNodeUnschedulable) || !strings.Contains(string(text), "example.com/gpu") {
		t.Errorf("%s, error %v", text, err)
	}
}

func TestWrongUse(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "groups.yaml"), groups)
	empty := t.TempDir()
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no file", nil, 2, "-f is required"},
		{"a file that is not there", []string{"-f", "/none"}, 2, "no such file"},
		{"an unknown flag", []string{"--none"}, 2, "unknown flag"},
		{"an unknown format", []string{"-f", file, "-o", "xml"}, 2, "must be table or json"},
		{"an archive that is not there", []string{"-f", file, "--from", "/none"}, 3, "no such file"},
		{"a context and an archive", []string{"-f", file, "--from", empty, "--context", "c"}, 2, "[context from]"},
		{"an archive of something else", []string{"-f", file, "--from", empty}, 3, "objects/nodes.yaml is missing: is this output of dratest gather?"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if code, _, errOut := run(t, test.args...); code != test.code || !strings.Contains(errOut, test.want) {
				t.Errorf("exit code %d, want %d; got %q, want %q in it", code, test.code, errOut, test.want)
			}
		})
	}
}

// All errors are reported at once, with their lines.
func TestWrongGroups(t *testing.T) {
	for _, test := range []struct {
		name, file string
		want       []string
	}{
		{"no groups", "groups: []\n", []string{"g.yaml:1: groups: must not be empty"}},
		{"no YAML", "groups: [\n", []string{"g.yaml: yaml: line"}},
		{"a key that is there twice", "groups:\n- name: a\n  name: b\n", []string{"already set"}},
		{"unknown fields", "gruops: []\n" + strings.Replace(groups, "  cost: 3\n", "  price: 3\n", 1), []string{`g.yaml:1: unknown field "gruops"`, `g.yaml:4: unknown field "price"`}},
		{"another type", strings.Replace(groups, "cost: 3", "cost: three", 1), []string{"g.yaml:3: cost: must be a int64, got a string"}},
		{"an incomplete pool, and a negative cost", strings.NewReplacer("cost: 3", "cost: -3", "pool: {name: template}", "pool: {name: template, resourceSliceCount: 2}").Replace(groups), []string{
			"g.yaml:3: cost: it must not be negative", "g.yaml:8: slices[0]: pool template has 2 slices, this template has 1 of them",
		}},
		{"an empty slice", strings.Split(groups, "  slices:")[0] + "  slices: [null]\n", []string{"slices[0]: it is empty"}},
		{"two groups of one name", groups + strings.TrimPrefix(groups, "groups:\n"), []string{"g.yaml:13: name: duplicate group gpu"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseGroups("g.yaml", []byte(test.file))
			if err == nil {
				t.Fatal("it was taken")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got\n%v\nwant %q in it", err, want)
				}
			}
		})
	}
}
