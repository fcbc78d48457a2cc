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

package scheduler

import (
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// containers parses "init=2 sidecar:s=1 | main=3 other=1": name and number of GPUs, init containers
// before the bar.
func containers(text string) *v1.Pod {
	pod := &v1.Pod{}
	inits, mains, _ := strings.Cut(text, "|")
	parse := func(field string) v1.Container {
		name, count, _ := strings.Cut(field, "=")
		c := v1.Container{Name: strings.TrimPrefix(name, "sidecar:")}
		if name != c.Name {
			c.RestartPolicy = ptr.To(v1.ContainerRestartPolicyAlways)
		}
		c.Resources.Requests = v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")}
		if count != "0" {
			c.Resources.Requests[gpu] = resource.MustParse(count)
		}
		return c
	}
	for _, field := range strings.Fields(inits) {
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, parse(field))
	}
	for _, field := range strings.Fields(mains) {
		pod.Spec.Containers = append(pod.Spec.Containers, parse(field))
	}
	return pod
}

func TestExtendedRequests(t *testing.T) {
	for _, tc := range []struct {
		pod, requests, mappings string
	}{
		{"| main=2", "container-0-request-1:2", "main>container-0-request-1"},
		{"| main=2 idle=0 other=1", "container-0-request-1:2 container-2-request-1:1", "main>container-0-request-1 other>container-2-request-1"},
		// Init containers reuse later containers' devices.
		{"init=1 | main=2", "container-1-request-1:2", "main>container-1-request-1 init>container-1-request-1"},
		{"init=2 | main=1 other=1", "container-1-request-1:1 container-2-request-1:1",
			"main>container-1-request-1 other>container-2-request-1 init>container-1-request-1 init>container-2-request-1"},
		// The maximum shortfall is requested once.
		{"init=3 | main=1", "container-0-request-1:2 container-1-request-1:1",
			"main>container-1-request-1 init>container-1-request-1 init>container-0-request-1"},
		{"few=2 many=4 | main=1", "container-1-request-1:3 container-2-request-1:1",
			"main>container-2-request-1 few>container-2-request-1 few>container-1-request-1 many>container-2-request-1 many>container-1-request-1"},
		{"same=2 again=2 |", "container-0-request-1:2", "same>container-0-request-1 again>container-0-request-1"},
		// A sidecar runs beside later containers and lends to earlier ones.
		{"before=1 sidecar:s=1 after=1 | main=0", "container-1-request-1:1 container-2-request-1:1",
			"s>container-1-request-1 before>container-1-request-1 after>container-2-request-1"},
	} {
		t.Run(tc.pod, func(t *testing.T) {
			requests, mappings := extendedRequests(containers(tc.pod), []extendedResource{{gpu, class("class")}})
			var got []string
			for _, r := range requests {
				got = append(got, fmt.Sprintf("%s:%d", r.Name, r.Exactly.Count))
			}
			if s := strings.Join(got, " "); s != tc.requests {
				t.Errorf("requests %s, want %s", s, tc.requests)
			}
			got = nil
			for _, m := range mappings {
				got = append(got, m.ContainerName+">"+m.RequestName)
			}
			if s := strings.Join(got, " "); s != tc.mappings {
				t.Errorf("mappings %s, want %s", s, tc.mappings)
			}
		})
	}
}

func TestRequestsAreSortedByName(t *testing.T) {
	pod := containers("| main=1")
	const other = v1.ResourceName("example.com/aaa")
	pod.Spec.Containers[0].Resources.Requests[other] = resource.MustParse("1")
	requests, _ := extendedRequests(pod, []extendedResource{{gpu, class("g")}, {other, class("a")}})
	if len(requests) != 2 || requests[0].Name != "container-0-request-1" || requests[0].Exactly.DeviceClassName != "a" {
		t.Errorf("requests %v", requests)
	}
}

func TestIsExtendedResource(t *testing.T) {
	for name, want := range map[v1.ResourceName]bool{
		"example.com/gpu": true, "deviceclass.resource.kubernetes.io/class": true,
		"cpu": false, "hugepages-2Mi": false, "kubernetes.io/x": false, "requests.example.com/gpu": false,
		"example.com/" + v1.ResourceName(strings.Repeat("x", 64)): false,
	} {
		if got := isExtendedResource(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
