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
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/spec"
)

func kubeletOf(node string) spec.Component {
	return spec.Component{Name: spec.Kubelet, Program: "kubelet", Node: node, Whose: spec.Stock, Version: "v1.37.1"}
}

// targetOf has only these pods in kube-system.
func targetOf(t *testing.T, pods ...corev1.Pod) spec.Target {
	t.Helper()
	target, err := probe.Target(t.Context(), server(t, map[string]any{"/api/v1/namespaces/kube-system/pods": corev1.PodList{Items: pods}}))
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func TestWhoseScheduler(t *testing.T) {
	for image, want := range map[string]spec.Provenance{
		"registry.k8s.io/kube-scheduler:v1.37.1":               spec.Stock,
		"registry.k8s.io/kube-scheduler:v1.37.1@sha256:aaaa":   spec.Stock,
		"k8s.gcr.io/kube-scheduler@sha256:aaaa":                spec.Stock,
		"dra-conformance.github.io/dra-scheduler:v1.37.1-aaaa": spec.Own,
		"registry.example:5000/dra-scheduler@sha256:aaaa":      spec.Own,
		"dra-scheduler": spec.Own,
		"registry.example:5000/kube-scheduler:v1.37.1":           spec.Other,
		"registry.k8s.io/sig-scheduling/kube-scheduler:v1.37.1":  spec.Other,
		"registry.k8s.io:5000/kube-scheduler:v1.37.1":            spec.Other,
		"kube-scheduler:v1.37.1":                                 spec.Other,
		"registry.example:5000/dra-scheduler/kube-scheduler":     spec.Other,
		"somebody/scheduler:1":                                   spec.Other,
		"registry.k8s.io/kube-scheduler:v1.37.1_1a2b3c4d":        spec.Other, // of a checkout
		"registry.k8s.io/kube-scheduler:v1.37.1-x.1":             spec.Other,
		"registry.k8s.io/kube-controller-manager-amd64:v1.37.1":  spec.Other,
		"registry.k8s.io.example.org/kube-scheduler:v1.37.1":     spec.Other,
		"example.org/registry.k8s.io/kube-scheduler:v1.37.1":     spec.Other,
		"registry.k8s.io/kube-scheduler/kube-scheduler2:v1.37.1": spec.Other,
	} {
		target := targetOf(t, pod("component", "kube-scheduler", image))
		got := target.ComponentsOf(spec.Scheduler)
		if len(got) != 1 || got[0].Whose != want || got[0].Image != image || (want == spec.Other) != strings.Contains(got[0].Why, image) {
			t.Errorf("%s: %+v", image, got)
		}
		if target.Stack["scheduler"] != string(want) {
			t.Errorf("%s: the stack is %v", image, target.Stack)
		}
	}
}

func TestSchedulerThatRunsAnotherProgram(t *testing.T) {
	p := scheduler("20s")
	for command, want := range map[string]spec.Provenance{"kube-scheduler": spec.Stock, "/usr/local/bin/kube-scheduler": spec.Stock, "/mnt/scheduler": spec.Other} {
		p.Spec.Containers[0].Command = []string{command, "--v=2"}
		if got := targetOf(t, p).ComponentsOf(spec.Scheduler); got[0].Whose != want {
			t.Errorf("%s: %+v", command, got)
		}
	}
}

// Container runtimes name an image by its configuration, or in a repository by its manifest.
func TestDigestOfScheduler(t *testing.T) {
	p := scheduler("20s")
	p.Spec.NodeName, p.Spec.Containers[0].Name = "control-plane", "kube-scheduler"
	for id, want := range map[string]string{
		"sha256:aaaa": "sha256:aaaa", "registry.k8s.io/kube-scheduler@sha256:bbbb": "sha256:bbbb", "docker-pullable://a/b@sha256:cccc": "sha256:cccc", "": "",
	} {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "other", ImageID: "sha256:dddd"}, {Name: "kube-scheduler", ImageID: id}}
		if got := targetOf(t, p).ComponentsOf(spec.Scheduler)[0]; got.Digest != want || got.Node != "control-plane" {
			t.Errorf("%s: %+v", id, got)
		}
	}
}

func TestWhoseControllers(t *testing.T) {
	const image = "registry.k8s.io/kube-controller-manager:v1.37.1"
	manager := pod("component", "kube-controller-manager", image)
	leaving := pod("component", "kube-controller-manager", image)
	leaving.Spec.Containers[0].Command = []string{"kube-controller-manager", "--controllers=*,tokencleaner,-resourceclaim-controller,-device-taint-eviction-controller"}
	own := pod("component", "dra-controller-manager", "dra-conformance.github.io/dra-controller-manager:v1")
	for name, tc := range map[string]struct {
		pods []corev1.Pod
		want string
	}{
		"stock":                           {[]corev1.Pod{manager}, "stock"},
		"both":                            {[]corev1.Pod{manager, own}, "stock"},
		"own":                             {[]corev1.Pod{own, leaving}, "own"},
		"own, of two":                     {[]corev1.Pod{own, leaving, leaving}, "own"},
		"retagged":                        {[]corev1.Pod{pod("component", "kube-controller-manager", "example.org/kube-controller-manager:v1.37.1")}, "other"},
		"neither":                         {[]corev1.Pod{leaving}, "other"},
		"cannot be seen":                  {nil, ""},
		"own, beside what cannot be seen": {[]corev1.Pod{own}, "own"},
		"somebody else's":                 {[]corev1.Pod{leaving, pod("component", "dra-controller-manager", "other:1")}, "other"},
	} {
		target := targetOf(t, tc.pods...)
		if got := target.Stack["controllers"]; got != tc.want || tc.want != "" && len(target.ComponentsOf(spec.Controllers)) != 1 {
			t.Errorf("%s: %s, %+v", name, got, target.ComponentsOf(spec.Controllers))
		}
	}
}

func TestWhoseKubelets(t *testing.T) {
	of := func(name, version string) corev1.Node {
		return node(name, func(n *corev1.Node) { n.Status.NodeInfo.KubeletVersion = version })
	}
	for _, tc := range []struct {
		nodes []corev1.Node
		want  string
	}{
		{[]corev1.Node{of("a", "v1.37.1"), of("b", "v1.38.0-alpha.1"), of("c", "v1.36.0-rc.0")}, "stock"},
		{[]corev1.Node{of("a", "v1.37.1"), of("b", "v1.37.1+k3s1"), of("c", "v1.37.1-eks-1")}, "other on b, c"},
		{[]corev1.Node{of("a", "v1.37.1"), of("b", "v1.37.1+dratest")}, "own on b"},
		{[]corev1.Node{of("a", "v1.37.1+dratest"), of("b", "v1.37.1+dratest")}, "own"},
	} {
		got, err := probe.Target(t.Context(), server(t, map[string]any{"/api/v1/nodes": corev1.NodeList{Items: tc.nodes}}))
		if err != nil || got.Stack["kubelet"] != tc.want {
			t.Errorf("got %v, %v, want %s", got.Stack, err, tc.want)
		}
		for _, c := range got.ComponentsOf(spec.Kubelet) {
			if (c.Basis == spec.Claimed) != (c.Whose == spec.Other) { // a distribution's build of a release
				t.Errorf("got %+v", c)
			}
		}
	}
}
