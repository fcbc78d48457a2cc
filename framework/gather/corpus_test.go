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
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	discovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes/fake"
)

// corpus collects realistic secrets, each for one place.
type corpus map[string]string

// password returns a secret that only its value identifies.
func (c corpus) password(place string) string {
	c[place] = fmt.Sprintf("p&ss'w<rd>\"%d-Hunter", len(c))
	return c[place]
}

// word returns a secret without special characters, as in commands.
func (c corpus) word(place string) string {
	c[place] = fmt.Sprintf("Tr0ub4dor-%d-x", len(c))
	return c[place]
}

// known returns a credential of a known format; the place is any text.
func (c corpus) known(place, text, secret string) string {
	c[place] = secret
	return strings.ReplaceAll(text, "SECRET", secret)
}

// formatsOfCredentials returns lines of a log with credentials of known formats, written in parts for scanners of
// repositories.
func (c corpus) formatsOfCredentials() string {
	letters := func(n int) string { return strings.Repeat("aB3xY9", 20)[:n] }
	upper := strings.Repeat("AB3XY9", 20)
	key := "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7" + letters(60)
	begin, end := "-----BEGIN RSA PRIVATE "+"KEY-----", "-----END RSA PRIVATE "+"KEY-----"
	lines := []string{
		c.known("bearer", `> Authorization: Bearer SECRET`, letters(43)),
		c.known("bearer of OpenShift", `curl -H 'authorization: bearer SECRET'`, "sha256"+"~"+letters(43)),
		c.known("basic", `{"headers":{"Authorization":["Basic SECRET"]}}`, base64.StdEncoding.EncodeToString([]byte("admin:correct horse"))),
		c.known("userinfo", `pull from https://robot:SECRET@registry.example/v2/ failed`, letters(12)),
		c.known("userinfo, token", `fetch https://SECRET@git.example/x`, letters(14)),
		c.known("JWT", `token SECRET`, "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.c2lnbmF0dXJlLWhlcmU"),
		c.known("AWS", `id SECRET`, "AK"+"IA"+upper[:16]),
		c.known("Google", `key SECRET`, "AI"+"za"+letters(35)),
		c.known("GitHub", `with SECRET`, "gh"+"p_"+letters(36)),
		c.known("GitLab", `with SECRET`, "glp"+"at-"+letters(20)),
		c.known("Slack", `to SECRET`, "xo"+"xb-"+letters(24)),
		c.known("Hugging Face", `from SECRET`, "h"+"f_"+letters(34)),
		c.known("by its name", `db_password=SECRET retries=3`, letters(9)),
		c.known("by its name, JSON", `{"apiKey": "SECRET", "x": 1}`, letters(10)),
		c.known("by its name, JSON in JSON", `msg="{\"client_secret\":\"SECRET\"}"`, letters(11)),
		c.known("by its name, YAML", `  accessToken: SECRET`, letters(13)),
		begin, c.known("key", `2026-01-01T00:00:00Z SECRET`, strings.Split(key, "\n")[0]), c.known("key, second line", `2026-01-01T00:00:00Z SECRET`, strings.Split(key, "\n")[1]), end,
		c.known("key in JSON", fmt.Sprintf(`{"tls.key":"%s\nSECRET\n%s\n"}`, begin, end), letters(64)),
	}
	return strings.Join(lines, "\n") + "\n"
}

// asLogged returns a value in all encodings found in logs.
func asLogged(value string) string {
	object, _ := json.Marshal(map[string]string{"value": value})
	again, _ := json.Marshal(string(object))
	return fmt.Sprintf("FLAG: --password=%q\nraw %s\n%s\n%s\n%q\n%s %s %s\n", value, value, object, again, object,
		url.QueryEscape(value), url.PathEscape(value), base64.StdEncoding.EncodeToString([]byte(value)))
}

// corpusPod has a secret in each field that gather must redact.
func corpusPod(c corpus) *corev1.Pod {
	exec := func(place string) *corev1.ExecAction {
		return &corev1.ExecAction{Command: []string{"curl", "-u", "admin:" + c.word(place)}}
	}
	header := corev1.HTTPHeader{Name: "X-Auth", Value: c.word("header of a probe")}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: c.password("termination message")}}
	main := corev1.Container{
		Name: "main", Image: "app:1",
		Env:           []corev1.EnvVar{{Name: "PASS", Value: c.password("environment")}, {Name: "MULTI", Value: c.word("line of a variable") + "\nsecond"}},
		Command:       []string{"sh", "-c", `export DB="` + c.word("variable in a script") + `"; exec app --token ` + c.word("flag in a script") + ` --verbose`},
		Args:          []string{"--password=" + c.word("argument"), "--api-key", c.word("argument of its own"), "--dsn=user=admin password=" + c.word("part of an argument")},
		LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: exec("probe")}},
		StartupProbe:  &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{HTTPHeaders: []corev1.HTTPHeader{header}}}},
		Lifecycle:     &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: exec("hook")}},
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "ns", Annotations: map[string]string{"vault": c.password("annotation")}},
		Spec: corev1.PodSpec{
			ResourceClaims: []corev1.PodResourceClaim{{Name: "gpu"}}, Containers: []corev1.Container{main},
			InitContainers:      []corev1.Container{{Name: "init", Env: []corev1.EnvVar{{Name: "A", Value: c.password("init container")}}}},
			EphemeralContainers: []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "e", Args: []string{c.password("ephemeral container")}}}},
		},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: ended}}},
	}
}

func corpusClaim(c corpus) *resourceapi.ResourceClaim {
	object := func(place string) runtime.RawExtension {
		raw, _ := json.Marshal(map[string]string{"key": c.password(place)})
		return runtime.RawExtension{Raw: raw}
	}
	data := object("data of a device")
	return &resourceapi.ResourceClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceClaim"},
		ObjectMeta: metav1.ObjectMeta{Name: "gpu", Namespace: "ns", UID: "1", Annotations: map[string]string{"a": c.password("annotation of a claim")}},
		Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Config: []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: resourceapi.DeviceConfiguration{
			Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: "d", Parameters: object("parameters")},
		}}}}},
		Status: resourceapi.ResourceClaimStatus{
			Allocation: &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Config: []resourceapi.DeviceAllocationConfiguration{{
				Source: resourceapi.AllocationConfigSourceClaim, DeviceConfiguration: resourceapi.DeviceConfiguration{
					Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: "d", Parameters: object("parameters of an allocation")},
				},
			}}}},
			Devices: []resourceapi.AllocatedDeviceStatus{{Driver: "d", Pool: "p", Device: "x", Data: &data}},
		},
	}
}

// corpusCDI has keys in upper and lower case: encoding/json accepts both.
func corpusCDI(c corpus) []byte {
	edits := func(place string) map[string]any {
		return map[string]any{
			"Env": []any{"TOKEN=" + c.password(place+": environment")}, "ENV": "X=" + c.password(place+": no list"),
			"hooks":  []any{map[string]any{"hookName": "createContainer", "path": "/bin/x", "args": []any{"x", "--token", c.password(place + ": hook")}, "env": []any{"A=" + c.password(place+": hook's environment")}}},
			"mounts": []any{map[string]any{"hostPath": "/a", "containerPath": "/b", "options": []any{"ro", "password=" + c.password(place+": mount option")}}},
		}
	}
	spec, _ := json.Marshal(map[string]any{
		"cdiVersion": "0.6.0", "kind": "v/c", "annotations": map[string]any{"a": c.password("CDI annotation")}, "ContainerEdits": edits("CDI spec"),
		"devices": []any{map[string]any{"name": "d", "Annotations": map[string]any{"a": c.password("CDI device annotation")}, "containerEdits": edits("CDI device")}},
	})
	return spec
}

// TestCorpus has a realistic secret in every place of an archive. Reviewers found secrets in logs (flags printed by klog,
// JSON escapes, parts of commands, credentials of known formats), in devices[].data of claims, and in CDI specs
// (annotations, hooks, mount options, and variables under "Env").
func TestCorpus(t *testing.T) {
	c := corpus{}
	pod, claim, spec := corpusPod(c), corpusClaim(c), corpusCDI(c)
	log := c.formatsOfCredentials()
	for place, secret := range c {
		// No pod has the values of the other secrets.
		if slices.ContainsFunc([]string{"CDI", "parameters", "data of", "of a claim", "termination"}, func(part string) bool { return strings.Contains(place, part) }) {
			continue
		}
		if !strings.Contains(log, secret) {
			log += asLogged(secret)
		}
	}
	client := fake.NewClientset(pod, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker", Annotations: map[string]string{"a": c.password("annotation of a node")}}},
		&corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "e", Namespace: "ns"}, Message: log, InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "ns", Name: "pod"}})
	client.Discovery().(*discovery.FakeDiscovery).Resources = dra("v1")
	files := memory{}
	_, err := Gather(t.Context(), Config{
		Client: client, Dynamic: dynamicOf(claim),
		Nodes: nodes(func(string) (map[string][]byte, error) {
			return map[string][]byte{"kubelet.log": []byte(log), "dra_manager_state": []byte(log), "cdi/x.json": spec, "sockets": []byte(log)}, errors.New(log)
		}),
		Raw: func(context.Context, string) ([]byte, error) { return []byte("dra_x 1 " + log), nil },
	}, files)
	if err != nil {
		t.Fatal(err)
	}
	for place, secret := range c {
		for _, form := range []string{secret, escaped(secret), quoted(secret), escaped(escaped(secret)), base64.StdEncoding.EncodeToString([]byte(secret))} {
			for name, content := range files {
				if strings.Contains(content, form) {
					t.Errorf("%s: %q is in %s", place, form, name)
				}
			}
		}
	}
	for name, want := range map[string]string{
		"nodes/worker/kubelet.log": "retries=3", "nodes/worker/cdi/x.json": "- ro", "objects/resourceclaims.yaml": "device: x", "objects/pods.yaml": "name: PASS",
	} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s lacks %q:\n%s", name, want, files[name])
		}
	}
}

// Logs stay readable: paths, names and numbers in commands are not secrets.
func TestWordsOfCommandsStay(t *testing.T) {
	pod := corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Command: []string{"sh", "-c", "exec /usr/bin/gpu-driver --plugin-dir=/var/lib/kubelet/plugins/gpu.example.com --listen 127.0.0.1:8080"},
		Args:    []string{"--endpoint=unix:///run/driver.sock", "--resync=10m30s"},
	}}}}
	text := "opened /var/lib/kubelet/plugins/gpu.example.com/dra.sock and unix:///run/driver.sock of /usr/bin/gpu-driver at 127.0.0.1:8080, basic setup"
	if got := string(NewScrubber([]corev1.Pod{pod}, nil).Scrub([]byte(text))); got != text {
		t.Errorf("got %s", got)
	}
}

// A pod with 'echo "Starting driver"' removed "Starting" from all logs, 'echo "WARNING: …"' all warnings. Another one,
// with "kubectl api-resources --api-group=resource.k8s.io", removed the API group from all objects, so that dra-whatif
// rejected the archive.
func TestWordsOfLogsAndObjectsStay(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "ns"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Name: "main", Command: []string{"sh", "-c", `echo "WARNING: Starting driver, NVIDIA_VISIBLE_DEVICES is Undefined."; kubectl get ResourceClaim; kubectl api-resources --api-group=resource.k8s.io`},
		Env: []corev1.EnvVar{{Name: "API", Value: "resource.k8s.io/v1"}, {Name: "KIND", Value: "ResourceClaim"}},
	}}}}
	claim := &resourceapi.ResourceClaim{
		TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceClaim"}, ObjectMeta: metav1.ObjectMeta{Name: "gpu", Namespace: "ns"},
	}
	log := "WARNING: Starting main sync loop of ResourceClaim in resource.k8s.io/v1, Undefined. NVIDIA_VISIBLE_DEVICES\n"
	client := fake.NewClientset(pod, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker"}})
	client.Discovery().(*discovery.FakeDiscovery).Resources = dra("v1")
	files := memory{}
	_, err := Gather(t.Context(), Config{
		Client: client, Dynamic: dynamicOf(claim),
		Nodes: nodes(func(string) (map[string][]byte, error) { return map[string][]byte{"kubelet.log": []byte(log)}, nil }),
		Raw:   func(context.Context, string) ([]byte, error) { return nil, nil },
	}, files)
	if err != nil {
		t.Fatal(err)
	}
	if got := files["nodes/worker/kubelet.log"]; got != log {
		t.Errorf("got log %s", got)
	}
	if got := files["objects/resourceclaims.yaml"]; !strings.Contains(got, "apiVersion: resource.k8s.io/v1\n  kind: ResourceClaim\n") {
		t.Errorf("got claims %s", got)
	}
}

// A log can begin or end in the middle of a key. Of a key begun near the end of what was removed for another one, the
// rest was left.
func TestPartOfAPrivateKey(t *testing.T) {
	begin, end := "-----BEGIN PRIVATE "+"KEY-----\n", "-----END PRIVATE "+"KEY-----\n"
	padding := strings.Repeat("x", maxKey-5)
	for text, want := range map[string]string{
		"a\n" + begin + "MIIE\n" + end + "b\n":                        "a\n(left out)\nb\n",
		"a\n" + begin + "MIIE\n":                                      "a\n(left out)",
		"MIIE\n" + end + "b\n":                                        "(left out)\nb\n",
		begin + "MIIE\n" + end + "b\n" + begin + "MIIF\n" + end + "c": "(left out)\nb\n(left out)\nc",
		begin + padding + begin + "MIIE" + padding + "c":              "(left out)(left out)" + "c",
		end + padding + padding + end + "c":                           "(left out)\n" + padding[5:] + "(left out)\nc",
		"no key":                                                      "no key",
	} {
		if got := string(withoutPrivateKeys([]byte(text))); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// BenchmarkScrub scrubs the log of a scheduler.
func BenchmarkScrub(b *testing.B) {
	line := `I0101 00:00:00.000000       1 dynamicresources.go:755] "Allocated claim" pod="ns/pod-12345" node="worker-1" claim="ns/claim" key="x" token=""` + "\n"
	log := []byte(strings.Repeat(line, 10_000))
	s := NewScrubber([]corev1.Pod{*corpusPod(corpus{})}, nil)
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		if got := s.Scrub(log); len(got) != len(log) {
			b.Fatalf("%d bytes of %d", len(got), len(log))
		}
	}
}
