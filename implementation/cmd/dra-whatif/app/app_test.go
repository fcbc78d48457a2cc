package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

// archive writes a cluster with one full node and some pods that wait for a device.
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
		"3 pods wait: 0 fit nodes that are there, 3 need new nodes, 0 cannot be served",
		"gpu    2          6     1",
		"ns/pod-c  gpu-new-2  gpu-new-2/gpu-0",
		"Note: an archive has only pods with claims",
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
	if code, out, _ = run(t, "-f", limited, "--from", archive(t, 3)); code != 1 || !strings.Contains(out, "Cannot be served:\n  ns/pod-c: 1 node: cannot allocate all claims") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestLearnedGroupsServe(t *testing.T) {
	from := archive(t, 2)
	code, out, errOut := run(t, "learn", "worker", "--from", from)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	if !strings.Contains(out, `# Will not repeat: attribute uuid of device gpu-0 is "GPU-1"`) || strings.Contains(out, "mended") {
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

// A cordoned node has a taint that new nodes do not get.
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
		{"no file", nil, 2, "-f is missing"},
		{"a file that is not there", []string{"-f", "/none"}, 2, "no such file"},
		{"an unknown flag", []string{"--none"}, 2, "unknown flag"},
		{"an unknown format", []string{"-f", file, "-o", "xml"}, 2, "it is table or json"},
		{"an archive that is not there", []string{"-f", file, "--from", "/none"}, 3, "no such file"},
		{"an archive of something else", []string{"-f", file, "--from", empty}, 3, "there is no objects/nodes.yaml: is it from dratest gather?"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if code, _, errOut := run(t, test.args...); code != test.code || !strings.Contains(errOut, test.want) {
				t.Errorf("exit code %d, want %d; got %q, want %q in it", code, test.code, errOut, test.want)
			}
		})
	}
}

// Every problem is told at once, with its line.
func TestWrongGroups(t *testing.T) {
	for _, test := range []struct {
		name, file string
		want       []string
	}{
		{"no groups", "groups: []\n", []string{"g.yaml:1: groups: there are none"}},
		{"no YAML", "groups: [\n", []string{"g.yaml: yaml: line"}},
		{"a key that is there twice", "groups:\n- name: a\n  name: b\n", []string{"already set"}},
		{"unknown fields", "gruops: []\n" + strings.Replace(groups, "  cost: 3\n", "  price: 3\n", 1), []string{`g.yaml:1: unknown field "gruops"`, `g.yaml:4: unknown field "price"`}},
		{"another type", strings.Replace(groups, "cost: 3", "cost: three", 1), []string{"g.yaml:3: cost: it is a string, and has to be a int64"}},
		{"an incomplete pool, and a negative cost", strings.NewReplacer("cost: 3", "cost: -3", "pool: {name: template}", "pool: {name: template, resourceSliceCount: 2}").Replace(groups), []string{
			"g.yaml:3: cost: it must not be negative", "g.yaml:8: slices[0]: pool template has 2 slices, this template has 1 of them",
		}},
		{"an empty slice", strings.Split(groups, "  slices:")[0] + "  slices: [null]\n", []string{"slices[0]: it is empty"}},
		{"two groups of one name", groups + strings.TrimPrefix(groups, "groups:\n"), []string{"g.yaml:13: name: there is another group gpu"}},
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
