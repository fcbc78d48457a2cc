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

package harness

import (
	"encoding/json"
	"testing"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// A case whose companion program is missing says nothing about Kubernetes.
func TestMissingCompanionBlocks(t *testing.T) {
	f := newFake(t)
	f.env.Companions = map[spec.Companion]any{"present": "client"}
	succeeds(t, f, func() {
		if got := f.Companion("present"); got != "client" {
			t.Errorf("got companion %v", got)
		}
	})

	if failureOf(func() { f.Companion("absent") }) == nil {
		t.Error("the case goes on")
	}
	if f.blocked == "" {
		t.Error("the case is not blocked")
	}
}

// Pods of cases have the vendor's template.
func TestPodsHaveTheTemplateOfTheDriver(t *testing.T) {
	f := newFake(t)
	f.env.Plan.Target.DriverUnderTest = &spec.DriverUnderTest{Workload: spec.Workload{Pod: map[string]any{"tolerations": []any{map[string]any{"key": "gpu"}}}}}
	pod := objects.Pod("pod", "image")
	for _, o := range []Object{pod, objects.Claim("claim")} {
		if err := f.fit(o); err != nil {
			t.Error(err)
		}
	}
	if len(pod.Spec.Tolerations) != 1 || pod.Spec.Containers[0].Image != "image" {
		t.Errorf("the pod of the case: %+v", pod.Spec)
	}
}

// TestClaimsHaveAConfigurationOfTheDriver: only the checks of the plugin API used the declared
// configurations.
func TestClaimsHaveAConfigurationOfTheDriver(t *testing.T) {
	f := newFake(t)
	f.meta.ID = "life/answer-lost" // the one with the first of one configuration
	f.env.Plan.Target.DriverUnderTest = &spec.DriverUnderTest{Driver: "gpu.example.com", Configs: []json.RawMessage{json.RawMessage(`{"a":"b"}`)}}
	claim, own := objects.Claim("claim"), objects.Claim("own")
	own.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{objects.ClaimParameters("gpu.example.com", map[string]string{"c": "d"})}
	template := objects.Template("template", claim)
	for _, o := range []Object{claim, own, template} {
		if err := f.fit(o); err != nil {
			t.Error(err)
		}
	}
	for want, devices := range map[string]resourceapi.DeviceClaim{`{"c":"d"}`: own.Spec.Devices, `{"a":"b"}`: claim.Spec.Devices} {
		if len(devices.Config) != 1 || devices.Config[0].Opaque.Driver != "gpu.example.com" || string(devices.Config[0].Opaque.Parameters.Raw) != want {
			t.Errorf("want configuration %s, got %+v", want, devices.Config)
		}
	}
	if len(template.Spec.Spec.Devices.Config) != 1 {
		t.Errorf("template: %+v", template.Spec.Spec.Devices)
	}
}

func TestNamespaceOfCases(t *testing.T) {
	own := map[string]string{spec.PodSecurity: "baseline", "team": "a", spec.LabelManagedBy: "me"}
	n := NewNamespace(&spec.DriverUnderTest{Namespaces: spec.NamespaceMeta{Labels: own, Annotations: map[string]string{"a": "b"}}})
	if n.Labels[spec.PodSecurity] != "baseline" || n.Labels["team"] != "a" || n.Labels[spec.LabelManagedBy] != spec.ManagedBy || n.Annotations["a"] != "b" {
		t.Errorf("%v, %v", n.Labels, n.Annotations)
	}
	if n := NewNamespace(nil); n.Labels[spec.PodSecurity] != "privileged" {
		t.Errorf("without a driver under test: %v", n.Labels)
	}
}
