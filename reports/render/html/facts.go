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

package html

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// facts describes the configuration, without empty values.
func facts(r schema.Report) []fact {
	all := []fact{
		{"Kubernetes", r.Cluster.Kubernetes},
		{"resource.k8s.io", strings.Join(r.Cluster.ResourceAPIs, ", ")},
		{"Cluster", r.Cluster.Provider},
	}
	for _, name := range slices.Sorted(maps.Keys(r.Cluster.Components)) {
		all = append(all, fact{name, r.Cluster.Components[name]})
	}
	for _, c := range r.Cluster.Running {
		all = append(all, fact{strings.TrimSpace("Whose " + c.Program + " " + c.Node), whose(c)})
	}
	for _, n := range r.Cluster.Nodes {
		text := fmt.Sprintf("kubelet %s, %s, %s/%s", n.Kubelet, n.Runtime, n.OS, n.Arch)
		if !n.Schedulable {
			text += ", runs no cases"
		}
		all = append(all, fact{"Node " + n.Name, text})
	}
	var on, off []string
	for _, g := range slices.Sorted(maps.Keys(r.Cluster.Gates)) {
		if r.Cluster.Gates[g] {
			on = append(on, string(g))
		} else {
			off = append(off, string(g))
		}
	}
	if m := r.Monitoring; m != nil {
		all = append(all, fact{"Monitors", fmt.Sprintf("%d requests; the run took %.0f s of CPU time", m.Requests, m.CPUSeconds)},
			fact{"Not monitored", strings.Join(m.Unwatched, "; ")})
	}
	if scale := r.Selection.TimeoutScale; scale > 0 {
		all = append(all, fact{"Time limits of cases", fmt.Sprintf("multiplied by %g", scale)})
	}
	all = append(all,
		fact{"Gates on", strings.Join(on, ", ")}, fact{"Gates off", strings.Join(off, ", ")}, fact{"Gates unseen", r.Cluster.GatesUnseen},
		fact{"Test driver", strings.TrimSpace(r.Driver.Name + " " + r.Driver.Image)}, fact{"Driver broken on purpose", string(r.Selection.Mutant)},
		fact{"Selection", strings.Join(slices.Concat(r.Selection.Focus, without(r.Selection.Skip), []string{r.Selection.Labels}), " ")}, fact{"Profile", profile(r)},
		fact{"dratest", strings.TrimSpace(r.Suite.Version + " " + r.Suite.Commit)},
		fact{"Parallel, seed", fmt.Sprintf("%d, %d", r.Selection.Parallel, r.Seed)},
	)
	return slices.DeleteFunc(all, func(f fact) bool { return strings.TrimSpace(f.Value) == "" })
}

func without(skip []string) []string {
	all := make([]string, 0, len(skip))
	for _, s := range skip {
		all = append(all, "without "+s)
	}
	return all
}

// whose describes the provenance of a component.
func whose(c spec.Component) string {
	parts := slices.DeleteFunc([]string{string(c.Whose), string(c.Basis), c.Version, c.Image, c.Digest, c.Why}, func(s string) bool { return s == "" })
	return strings.Join(parts, ", ")
}

// profile describes the conformance profile of a run.
func profile(r schema.Report) string {
	if r.Profile == nil {
		return r.Selected()
	}
	return fmt.Sprintf("%s, %d required cases", r.Profile, r.Profile.Required)
}
