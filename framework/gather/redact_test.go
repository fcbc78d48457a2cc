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

package gather

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// planted is in every possibly confidential field of a pod.
const planted = "PLANTED-s3cret"

func plantedPod() *corev1.Pod {
	env := []corev1.EnvVar{{Name: "PASSWORD", Value: planted}}
	probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{planted}}}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: planted, Reason: "Error"}}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "ns", Annotations: map[string]string{
			corev1.LastAppliedConfigAnnotation: planted, "vault/token": planted,
		}},
		Spec: corev1.PodSpec{
			ResourceClaims: []corev1.PodResourceClaim{{Name: "gpu"}},
			InitContainers: []corev1.Container{{Name: "init", Env: env}},
			Containers: []corev1.Container{{
				Name: "main", Image: "app:1", Env: env, Command: []string{planted}, Args: []string{planted}, LivenessProbe: probe,
				Lifecycle: &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: probe.Exec}},
			}},
			EphemeralContainers: []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Env: env}}},
		},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: ended, LastTerminationState: ended}}},
	}
}

func TestPod(t *testing.T) {
	p := plantedPod()
	text, err := yaml.Marshal(Pod(p))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), planted) {
		t.Errorf("told:\n%s", text)
	}
	for _, want := range []string{"name: PASSWORD", "name: gpu", "image: app:1", "reason: Error"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("missing %q in:\n%s", want, text)
		}
	}
	if p.Status.ContainerStatuses[0].State.Terminated.Message != planted {
		t.Error("the pod itself was changed")
	}
}

func TestClean(t *testing.T) {
	var content map[string]any
	template := `{"kind":"ResourceClaimTemplate","metadata":{"name":"t","annotations":{"vault/token":"` + planted + `"},"managedFields":[{"manager":"m"}]},
		"spec":{"metadata":{"annotations":{"a":"` + planted + `"},"labels":{"l":"kept"}},"spec":{"devices":{"config":[{"requests":["r"],"opaque":{"driver":"d","parameters":{"key":"` + planted + `"}}}]}}}}`
	if err := yaml.Unmarshal([]byte(template), &content); err != nil {
		t.Fatal(err)
	}
	Clean(content)
	want := map[string]any{
		"kind": "ResourceClaimTemplate", "metadata": map[string]any{"name": "t"},
		"spec": map[string]any{"metadata": map[string]any{"labels": map[string]any{"l": "kept"}}, "spec": map[string]any{"devices": map[string]any{"config": []any{
			map[string]any{"requests": []any{"r"}, "opaque": map[string]any{"driver": "d", "parameters": leftOut}},
		}}}},
	}
	if diff := cmp.Diff(want, content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}

func TestCDI(t *testing.T) {
	for name, spec := range map[string]string{
		"json": `{"cdiVersion":"0.6.0","kind":"v/c","containerEdits":{"env":["A=` + planted + `"]},"devices":[{"name":"d","containerEdits":{"env":["B=` + planted + `","C"],"deviceNodes":[{"path":"/dev/x"}]}}]}`,
		"yaml": "kind: v/c\ncontainerEdits:\n  env:\n  - A=" + planted + "\ndevices:\n- name: d\n  containerEdits:\n    env: [B=" + planted + ", C]\n    deviceNodes:\n    - path: /dev/x\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := CDI([]byte(spec))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(got), planted) {
				t.Errorf("told:\n%s", got)
			}
			for _, want := range []string{"A=(left out)", "B=(left out)", "C=(left out)", "path: /dev/x", "kind: v/c"} {
				if !strings.Contains(string(got), want) {
					t.Errorf("missing %q in:\n%s", want, got)
				}
			}
		})
	}
	if _, err := CDI([]byte("\tno: yaml: at: all")); err == nil {
		t.Error("what cannot be read was told")
	}
}

func TestScrubber(t *testing.T) {
	pod := func(values ...string) corev1.Pod {
		p := corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{}}}}
		for _, v := range values {
			p.Spec.Containers[0].Env = append(p.Spec.Containers[0].Env, corev1.EnvVar{Name: "X", Value: v})
		}
		return p
	}
	jwt := "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.c2lnbmF0dXJlLWhlcmU"
	tests := []struct{ name, value, text, want string }{
		{"in a line", "hunter2hunter2", "token hunter2hunter2.", "token (left out)."},
		{"with quotes", `pass"word"pass`, `env:"pass\"word\"pass"`, `env:"(left out)"`},
		{"of several lines", "first-line-1\nsecond-line", "x\nsecond-line\nfirst-line-1 y", "x\n(left out)\n(left out) y"},
		{"short values stay", "true", "it is true", "it is true"},
		{"names stay", "worker-17", "on worker-17", "on worker-17"},
		{"tokens", "", "Bearer " + jwt + " used", "Bearer (left out) used"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := NewScrubber([]corev1.Pod{pod(test.value)}, map[string]bool{"worker-17": true})
			if got := string(s.Scrub([]byte(test.text))); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	// Logs may have any of the removed fields, here in the scheduler's format of a pod.
	others := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Annotations: map[string]string{"a": "annotation-1"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Command: []string{"sh", "-c", `echo "command-2"`}, Args: []string{"--arg=three"}}}}}
	text := `{"annotations":{"last":"{\"a\":\"annotation-1\",\"command\":[\"echo \\\"command-2\\\"\"]}","a":"annotation-1"},"command":["sh","-c","echo \"command-2\""],"args":["--arg=three"]}`
	want := `{"annotations":{"last":"{\"a\":\"(left out)\",\"command\":[\"(left out)\"]}","a":"(left out)"},"command":["sh","-c","(left out)"],"args":["(left out)"]}`
	if got := string(NewScrubber([]corev1.Pod{others}, nil).Scrub([]byte(text))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	others.Namespace = metav1.NamespaceSystem
	if got := string(NewScrubber([]corev1.Pod{others}, nil).Scrub([]byte(text))); got != text {
		t.Errorf("flags of the control plane were left out: %s", got)
	}
	// The longest of values with a common prefix matches.
	s := NewScrubber([]corev1.Pod{pod("abcdefgh", "abcdefgh-more")}, nil)
	if got := string(s.Scrub([]byte("abcdefgh-more"))); got != leftOut {
		t.Errorf("got %q", got)
	}
}

// TestEnd has a log of 50 MB.
func TestEnd(t *testing.T) {
	line := []byte(strings.Repeat("x", 99) + "\n")
	log := bytes.Repeat(line, 500_000)
	got, cut, err := end(bytes.NewReader(log), 1<<20)
	if err != nil || cut+len(got) != len(log) || len(got) > 1<<20 || len(got) < 1<<20-100 || len(got)%100 != 0 {
		t.Errorf("%d bytes, %d cut, %v", len(got), cut, err)
	}
	if got, cut, err := end(strings.NewReader("short\n"), 100); string(got) != "short\n" || cut != 0 || err != nil {
		t.Errorf("%q, %d cut, %v", got, cut, err)
	}
}
