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
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	discovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	kubetesting "k8s.io/client-go/testing"
)

// memory is a sink.
type memory map[string]string

func (m memory) Write(name string, content []byte) error { m[name] = string(content); return nil }
func (memory) Close() error                              { return nil }

func (m memory) all() string {
	text := ""
	for name, content := range m {
		text += "== " + name + "\n" + content + "\n"
	}
	return text
}

type nodes func(node string) (map[string][]byte, error)

func (n nodes) Evidence(_ context.Context, node string, _ time.Time) (map[string][]byte, error) {
	return n(node)
}

func dra(version string) []*metav1.APIResourceList {
	l := &metav1.APIResourceList{GroupVersion: group + "/" + version}
	for _, k := range kinds {
		l.APIResources = append(l.APIResources, metav1.APIResource{Name: k})
	}
	return []*metav1.APIResourceList{l}
}

func dynamicOf(objects ...runtime.Object) dynamic.Interface {
	lists := map[schema.GroupVersionResource]string{}
	for resource, kind := range map[string]string{"deviceclasses": "DeviceClassList", "resourceslices": "ResourceSliceList", "resourceclaims": "ResourceClaimList",
		"resourceclaimtemplates": "ResourceClaimTemplateList", "devicetaintrules": "DeviceTaintRuleList"} {
		lists[schema.GroupVersionResource{Group: group, Version: "v1", Resource: resource}] = kind
	}
	return dynamicfake.NewSimpleDynamicClientWithCustomListKinds(scheme.Scheme, lists, objects...)
}

// TestGather has a cluster with a confidential value in every place, and a claim reserved without an allocation.
func TestGather(t *testing.T) {
	opaque := resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: "d", Parameters: runtime.RawExtension{Raw: []byte(`{"key":"of-PLANTED-driver"}`)},
	}}
	claim := &resourceapi.ResourceClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceClaim"},
		ObjectMeta: metav1.ObjectMeta{Name: "gpu", Namespace: "ns", UID: "1", ResourceVersion: "5", Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: planted}},
		Spec:       resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Config: []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: opaque}}}},
		Status:     resourceapi.ResourceClaimStatus{ReservedFor: []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod", UID: "9"}}},
	}
	driver := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "driver", Namespace: "vendor"}, Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "plugin", Env: []corev1.EnvVar{{Name: "KEY", Value: "another-PLANTED-key"}}}},
		Volumes:    []corev1.Volume{{Name: "r", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/var/lib/kubelet/plugins_registry"}}}},
	}}
	event := func(name, kind, object string) *corev1.Event {
		return &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns"}, Reason: "Why", Message: "it says " + planted,
			InvolvedObject: corev1.ObjectReference{Kind: kind, Namespace: "ns", Name: object}}
	}
	client := fake.NewClientset(plantedPod(), driver, event("a", "Pod", "pod"), event("b", "Pod", "other"),
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker", Annotations: map[string]string{"x": planted}}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "secret", Namespace: "ns"}, StringData: map[string]string{"k": planted}})
	client.Discovery().(*discovery.FakeDiscovery).Resources = dra("v1")
	files := memory{}
	result, err := Gather(t.Context(), Config{
		Client: client, Dynamic: dynamicOf(claim),
		Nodes: nodes(func(string) (map[string][]byte, error) {
			return map[string][]byte{
				"kubelet.log": []byte("pod has env " + planted + "\n"), "cdi/x.json": []byte(`{"containerEdits":{"env":["A=short"]}}`), "cdi/bad": []byte("\tA=short"),
				"../outside": []byte("x"),
			}, errors.New("containerd.log: no journal")
		}),
		Raw: func(_ context.Context, path string) ([]byte, error) {
			if path == "/metrics" {
				return nil, errors.New("forbidden")
			}
			return []byte("dra_operations_total 3\nother 4\n"), nil
		},
	}, files)
	if err != nil {
		t.Fatal(err)
	}
	if all := files.all(); strings.Contains(all, "PLANTED") || strings.Contains(all, "A=short") {
		t.Errorf("something confidential was told:\n%s", all)
	}
	for name, want := range map[string]string{
		"objects/resourceclaims.yaml": "name: gpu", "objects/pods.yaml": "name: PASSWORD", "objects/nodes.yaml": "name: worker",
		"events.txt": "pod ns/pod  Why (1 times): it says (left out)", "logs/vendor.driver.plugin.log": "fake logs",
		"nodes/worker/kubelet.log": "pod has env (left out)", "nodes/worker/cdi/x.json": "A=(left out)",
		"metrics/kubelet.worker.txt": "dra_operations_total 3\n", "audit.json": "reserved-unallocated", IndexFile: "reserved-unallocated: ",
	} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s lacks %q:\n%s", name, want, files[name])
		}
	}
	if strings.Contains(files["events.txt"], "other") || strings.Contains(files["metrics/kubelet.worker.txt"], "other") {
		t.Errorf("what is not about DRA was told:\n%s", files.all())
	}
	for _, want := range []string{"metrics of kube-apiserver: forbidden", "files of node worker: containerd.log: no journal", "nodes/worker/cdi/bad: left out",
		"outside: is not a name", "log of kube-scheduler: it has no visible pod"} {
		if !slices.ContainsFunc(result.Missing, func(m string) bool { return strings.Contains(m, want) }) || !strings.Contains(files[IndexFile], want) {
			t.Errorf("missing %q in %q", want, result.Missing)
		}
	}
	for _, a := range client.Actions() {
		if r := a.GetResource().Resource; r == "secrets" || r == "configmaps" {
			t.Errorf("%s of %s was asked for", a.GetVerb(), r)
		}
		if v := a.GetVerb(); v != "get" && v != "list" {
			t.Errorf("%s of %s changes the cluster", v, a.GetResource().Resource)
		}
	}
}

// TestGatherFromAnOldCluster has no resource.k8s.io and no list permissions.
func TestGatherFromAnOldCluster(t *testing.T) {
	client := fake.NewClientset()
	client.PrependReactor("list", "*", func(a kubetesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(a.GetResource().GroupResource(), "", errors.New("no"))
	})
	files := memory{}
	result, err := Gather(t.Context(), Config{Client: client, Dynamic: dynamicOf(),
		Raw: func(context.Context, string) ([]byte, error) { return nil, errors.New("forbidden") }}, files)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pods: pods is forbidden", "logs of components and drivers: left out", "nodes: ", "events: ", "DRA is off in this cluster", "audit: it reads resource.k8s.io/v1"} {
		if !strings.Contains(strings.Join(result.Missing, "\n"), want) || !strings.Contains(files[IndexFile], want) {
			t.Errorf("missing %q in %q", want, result.Missing)
		}
	}
}

// TestGatherWithoutPods may not list pods, but the kubelet's log has their values.
func TestGatherWithoutPods(t *testing.T) {
	client := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker"}})
	client.PrependReactor("list", "pods", func(a kubetesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(a.GetResource().GroupResource(), "", errors.New("no"))
	})
	files := memory{}
	result, err := Gather(t.Context(), Config{Client: client, Dynamic: dynamicOf(),
		Nodes: nodes(func(string) (map[string][]byte, error) {
			return map[string][]byte{"kubelet.log": []byte("env " + planted), "containerd.log": []byte("env " + planted), "sockets": []byte("a.sock")}, nil
		}),
		Raw: func(context.Context, string) ([]byte, error) { return nil, errors.New("forbidden") }}, files)
	if err != nil {
		t.Fatal(err)
	}
	if all := files.all(); strings.Contains(all, planted) {
		t.Errorf("something confidential was told:\n%s", all)
	}
	if files["nodes/worker/sockets"] != "a.sock" {
		t.Errorf("what is no log is missing: %v", result.Files)
	}
	for _, log := range []string{"nodes/worker/kubelet.log", "nodes/worker/containerd.log", "logs of components and drivers"} {
		if !slices.ContainsFunc(result.Missing, func(m string) bool { return strings.HasPrefix(m, log+": left out: pods could not be listed") }) {
			t.Errorf("%s is not said to be missing: %q", log, result.Missing)
		}
	}
}

func TestSink(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "e.tar.gz")
	sink, err := NewSink(name, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sink.Write("a/b", []byte("text")), sink.Close()); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewReader(zipped)
	header, err := files.Next()
	if err != nil || header.Name != "e/a/b" {
		t.Fatalf("%v %v", header, err)
	}
	if content, err := io.ReadAll(files); string(content) != "text" || err != nil {
		t.Errorf("%q %v", content, err)
	}
	if _, err := NewSink(name, time.Now()); err == nil {
		t.Error("an archive that exists was written again")
	}
	if _, err := NewSink(dir, time.Now()); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a directory that is not empty: %v", err)
	}
	into, err := NewSink(filepath.Join(dir, "new"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := into.Write("a/b", []byte("text")); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(dir, "new", "a", "b")); string(content) != "text" || err != nil {
		t.Errorf("%q %v", content, err)
	}
}
