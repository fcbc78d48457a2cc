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

package nodeplan_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// preparedDevices is a node with a claim of a pod with these devices of driver "a", each with a CDI
// device of the same name, and another claim for extended resources.
func preparedDevices(t *testing.T, requests map[string][]string) (*machine, *corev1.Pod) {
	m := newMachine(t, "a")
	p := pod("p", "c", "d")
	p.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "ext",
		RequestMappings: []corev1.ContainerExtendedResourceRequest{
			{ContainerName: "main", ResourceName: "example.com/gpu", RequestName: "container-0-request-0"},
			{ContainerName: "main", ResourceName: "example.com/nic", RequestName: "container-0-request-1"},
			{ContainerName: "side", ResourceName: "example.com/gpu", RequestName: "container-1-request-0"},
		}}
	for _, name := range []string{"c", "d", "ext"} {
		m.reserve(claim(name, "a"), p)
	}
	m.answer = func(call nodeplan.Call) *nodeplan.Answer {
		answer := m.effect(call)
		for uid, result := range answer.Claims {
			result.Devices = nil
			for _, device := range []string{"d0", "d1", "d2", "d3"} {
				if names, ok := requests[string(uid)+"/"+device]; ok {
					result.Devices = append(result.Devices, nodeplan.Device{DeviceName: device, RequestNames: names,
						CDIDeviceIDs: []string{"v/c=" + string(uid) + "-" + device, "v/c=all-" + string(uid)}})
				}
			}
			answer.Claims[uid] = result
		}
		return &answer
	}
	done(t, m.run(p))
	return m, p
}

func TestDevicesOfContainers(t *testing.T) {
	m, p := preparedDevices(t, map[string][]string{
		"c/d0": {"x"}, "c/d1": {"y"}, "c/d2": {"y/small"}, "c/d3": nil, "d/d0": {"x"},
		"ext/d0": {"container-0-request-0"}, "ext/d1": {"container-0-request-1"}, "ext/d2": {"container-1-request-0"},
	})
	uses := func(entry, request string) corev1.ResourceClaim {
		return corev1.ResourceClaim{Name: "entry-" + entry, Request: request}
	}
	one := resource.MustParse("1")
	for name, tc := range map[string]struct {
		name   string
		claims []corev1.ResourceClaim
		gpus   *resource.Quantity
		want   string
	}{
		"no claim":               {want: ""},
		"whole claim":            {claims: []corev1.ResourceClaim{uses("c", "")}, want: "c-d0 all-c c-d1 c-d2 c-d3"},
		"one request":            {claims: []corev1.ResourceClaim{uses("c", "x")}, want: "c-d0 all-c c-d3"},
		"request, subrequest":    {claims: []corev1.ResourceClaim{uses("c", "y")}, want: "c-d1 all-c c-d2 c-d3"},
		"unknown request":        {claims: []corev1.ResourceClaim{uses("c", "z")}, want: "c-d3 all-c"},
		"two requests":           {claims: []corev1.ResourceClaim{uses("c", "y"), uses("c", "x")}, want: "c-d0 all-c c-d1 c-d2 c-d3"},
		"two claims":             {claims: []corev1.ResourceClaim{uses("d", ""), uses("c", "x")}, want: "c-d0 all-c c-d3 d-d0 all-d"},
		"extended resource":      {name: "main", gpus: &one, want: "ext-d0 all-ext"},
		"of another container":   {name: "side", gpus: &one, want: "ext-d2 all-ext"},
		"not in the mappings":    {name: "third", gpus: &one, want: ""},
		"zero of them":           {name: "main", gpus: &resource.Quantity{}, want: ""},
		"extended and a request": {"side", []corev1.ResourceClaim{uses("d", "x")}, &one, "d-d0 all-d ext-d2 all-ext"},
	} {
		t.Run(name, func(t *testing.T) {
			container := &corev1.Container{Name: tc.name}
			container.Resources.Claims = tc.claims
			if tc.gpus != nil {
				container.Resources.Requests = corev1.ResourceList{"example.com/gpu": *tc.gpus}
			}
			claims, err := m.state.ContainerClaims(p, container)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.ReplaceAll(strings.Join(nodeplan.CDIDevices(claims), " "), "v/c=", ""); got != tc.want {
				t.Errorf("devices are %q, want %q", got, tc.want)
			}
		})
	}
}

// podresources lists the devices of the container's requests, each with its own CDI devices.
func TestClaimsOfContainer(t *testing.T) {
	m, p := preparedDevices(t, map[string][]string{"c/d0": {"x"}, "c/d1": {"y"}, "c/d2": {"x"}})
	claims, err := m.state.ContainerClaims(p, &corev1.Container{Resources: corev1.ResourceRequirements{
		Claims: []corev1.ResourceClaim{{Name: "entry-c", Request: "x"}}}})
	if err != nil || len(claims) != 1 || claims[0].Entry != "entry-c" || claims[0].Name != "c" || len(claims[0].Devices) != 2 {
		t.Fatalf("unexpected answer: %+v, %v", claims, err)
	}
	if device := claims[0].Devices[1]; device.Driver != "a" || device.DeviceName != "d2" || device.CDIDeviceIDs[0] != "v/c=c-d2" || len(device.CDIDeviceIDs) != 2 {
		t.Errorf("wrong device: %+v", device)
	}
}

func TestContainerWithoutClaimInfo(t *testing.T) {
	m := newMachine(t)
	uses := &corev1.Container{Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "entry-c"}}}}
	if _, err := m.state.ContainerClaims(pod("p", "c"), uses); err == nil ||
		err.Error() != "internal error: unable to get claim info for ResourceClaim c in namespace ns" {
		t.Errorf("unexpected error: %v", err)
	}
	p := pod("p")
	p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "entry-c", ResourceClaimTemplateName: ptr.To("tmpl")}}
	if _, err := m.state.ContainerClaims(p, uses); err == nil || err.Error() != `pod "ns/p": ResourceClaim not created yet` {
		t.Errorf("unexpected error: %v", err)
	}
	p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "entry-c"}}
	if claims, err := m.state.ContainerClaims(p, uses); err != nil || len(claims) != 0 {
		t.Errorf("a claim that is not needed brings no devices, got %v, %v", claims, err)
	}
}
