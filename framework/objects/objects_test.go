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

package objects_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/objects"
)

func TestPodUsesItsClaims(t *testing.T) {
	pod := objects.Pod("pod", "image", "a", "b")
	for i, name := range []string{"a", "b"} {
		if got := *pod.Spec.ResourceClaims[i].ResourceClaimName; got != name {
			t.Errorf("claim %d of the pod is %s, want %s", i, got, name)
		}
	}
	want := []corev1.ResourceClaim{{Name: "a"}, {Name: "b"}}
	if diff := cmp.Diff(want, pod.Spec.Containers[0].Resources.Claims); diff != "" {
		t.Errorf("claims of the container (-want +got):\n%s", diff)
	}
}

func TestPodFromTemplate(t *testing.T) {
	pod := objects.PodFromTemplate("pod", "image", "template")
	claim := pod.Spec.ResourceClaims[0]
	if claim.ResourceClaimName != nil || *claim.ResourceClaimTemplateName != "template" {
		t.Errorf("the pod refers to %+v", claim)
	}
	if got := pod.Spec.Containers[0].Resources.Claims[0].Name; got != claim.Name {
		t.Errorf("the container uses claim %q, the pod has %q", got, claim.Name)
	}
}

func TestTemplateKeepsNothingOfTheClaim(t *testing.T) {
	claim := objects.Claim("claim", objects.Request("req", "class", "true"))
	template := objects.Template("template", claim)
	template.Spec.Spec.Devices.Requests[0].Name = "other"
	if got := claim.Spec.Devices.Requests[0].Name; got != "req" {
		t.Errorf("the claim's request is now %q", got)
	}
}

func TestRequest(t *testing.T) {
	r := objects.Request("req", "class", "first", "second")
	if r.Exactly.DeviceClassName != "class" || r.Exactly.Selectors[0].CEL.Expression != "first" || r.Exactly.Selectors[1].CEL.Expression != "second" {
		t.Errorf("request %+v", r.Exactly)
	}
}

func TestClassSelectsItsDriver(t *testing.T) {
	class := objects.Class("class", "driver.example.com")
	if got, want := class.Spec.Selectors[0].CEL.Expression, `device.driver == "driver.example.com"`; got != want {
		t.Errorf("selector %s, want %s", got, want)
	}
}

func TestParameters(t *testing.T) {
	want := map[string]string{"a": "b", `"`: "ü"}
	for name, raw := range map[string][]byte{
		"claim": objects.ClaimParameters("d", want).Opaque.Parameters.Raw,
		"class": objects.ClassParameters("d", want).Opaque.Parameters.Raw,
	} {
		var got map[string]string
		if err := json.Unmarshal(raw, &got); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, want)
		}
	}
}

func TestPodWanting(t *testing.T) {
	pod := objects.PodWanting("pod", "image", map[string]int64{"example.com/gpu": 2})
	limit := pod.Spec.Containers[0].Resources.Limits["example.com/gpu"]
	if limit.Value() != 2 || len(pod.Spec.ResourceClaims) > 0 {
		t.Errorf("limit %s, claims %v", limit.String(), pod.Spec.ResourceClaims)
	}
}

func TestOnlyOnAllowsEachOfTheNodes(t *testing.T) {
	pod := objects.OnlyOn(objects.Pod("pod", "image"), "a", "b")
	var nodes []string
	for _, term := range pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		nodes = append(nodes, term.MatchFields[0].Values...)
	}
	if diff := cmp.Diff([]string{"a", "b"}, nodes); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}

func TestNetworkSliceIsForAllNodes(t *testing.T) {
	slice := objects.NetworkSlice("slice", "driver", "pool")
	if !*slice.Spec.AllNodes || slice.Spec.NodeName != nil || slice.Spec.Pool.ResourceSliceCount != 1 {
		t.Errorf("slice %+v", slice.Spec)
	}
}
