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

package api

import (
	"slices"
	"strings"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ServedByDefault compares the API server's versions with its arguments.
var ServedByDefault = harness.Case{Meta: spec.Meta{
	ID:       "api/served-by-default",
	Checks:   "The API server prefers resource.k8s.io/v1 and serves only those alpha and beta versions its arguments enable.",
	Requires: []spec.RequirementID{"kep-4381/v1-served-by-default"},
	Needs:    spec.Needs{NoNode: true, Metrics: []string{"kube-apiserver"}},
}, Run: func(t *harness.T) {
	pods, err := t.Client.CoreV1().Pods(metav1.NamespaceSystem).List(t.Context(), metav1.ListOptions{LabelSelector: "component=kube-apiserver"})
	t.NoError(err, "list the API server's pods")
	t.Expect(pods.Items).NotTo(gomega.BeEmpty(), "pods of the API server")
	groups, err := t.Client.Discovery().ServerGroups()
	t.NoError(err, "ask for the groups of the API")
	i := slices.IndexFunc(groups.Groups, func(g metav1.APIGroup) bool { return g.Name == resourceapi.GroupName })
	t.Expect(i).To(gomega.BeNumerically(">=", 0), "place of the group among the served ones")
	group := groups.Groups[i]
	t.Expect(group.PreferredVersion.Version).To(gomega.Equal("v1"), "preferred version of the API server")
	for _, pod := range pods.Items {
		config := runtimeConfig(pod.Spec.Containers)
		for _, served := range group.Versions {
			t.Expect(served.Version == "v1" || enables(config, served.Version)).To(gomega.BeTrue(),
				"whether %s may be served by API server %s with runtime-config %v", served.Version, pod.Name, config)
		}
	}
}}

// runtimeConfig returns the entries of an API server's runtime-config, the last of each name, whether given as one
// argument or as two.
func runtimeConfig(containers []corev1.Container) map[string]bool {
	config := map[string]bool{}
	for _, c := range containers {
		args := slices.Concat(c.Command, c.Args)
		for i, arg := range args {
			entries, ok := strings.CutPrefix(arg, "--runtime-config=")
			if arg == "--runtime-config" && i+1 < len(args) {
				entries, ok = args[i+1], true
			}
			if !ok {
				continue
			}
			for entry := range strings.SplitSeq(entries, ",") {
				if name, value, _ := strings.Cut(strings.TrimSpace(entry), "="); name != "" {
					config[name] = value != "false"
				}
			}
		}
	}
	return config
}

// enables reports whether a runtime-config enables a version of the group, or one of its resources. The version's
// entry has priority over that of its stage, and this over "all" (k8s.io/apiserver v0.37.1, MergeAPIResourceConfigs).
func enables(config map[string]bool, version string) bool {
	for name, on := range config {
		if on && strings.HasPrefix(name, resourceapi.GroupName+"/"+version+"/") {
			return true
		}
	}
	stage := "api/beta"
	if strings.Contains(version, "alpha") {
		stage = "api/alpha"
	}
	for _, name := range []string{resourceapi.GroupName + "/" + version, stage, "api/all"} {
		if on, said := config[name]; said {
			return on
		}
	}
	return false
}
