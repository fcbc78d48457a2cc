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

package generate

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
)

// addExtended makes pods request extended resources of classes, by the name of the resource or of the class. Sometimes
// a pod requests nothing else. The first node never has device plugins for them, and no pod uses the class name of a class
// sharing its extended resource with another: kube-scheduler may not know that name
// (kubernetes#141103). It would not retry pods rejected because of the capacity of all nodes.
func (g *generator) addExtended() {
	if !g.chance(25) {
		return
	}
	var explicit, names []string
	for i := range g.p.Classes {
		if g.chance(70) {
			name := pick(g, "gpu.example.com/card", "gpu.example.com/card", "nic.example.com/port")
			g.p.Classes[i].Spec.ExtendedResourceName = ptr.To(name)
			explicit = append(explicit, name)
		}
	}
	for i := range g.p.Classes {
		if p := g.p; !p.SharesName(&p.Classes[i]) {
			names = append(names, resourceapi.ResourceDeviceClassPrefix+p.Classes[i].Name)
		}
	}
	names = append(names, explicit...)
	if g.chance(40) {
		g.p.Pods = append(g.p.Pods, problem.Pod{Name: fmt.Sprintf("pod-%d", len(g.p.Pods))})
	}
	last := len(g.p.Pods) - 1
	for i := range g.p.Pods {
		if i == last || g.chance(50) {
			g.p.Pods[i].Containers = g.containers(names)
		}
	}
	for i := 1; i < len(g.p.Nodes) && len(explicit) > 0; i++ {
		if g.chance(40) {
			g.p.Nodes[i].Extended = map[string]int64{pick(g, explicit...): int64(g.between(1, 3))}
		}
	}
}

// containers mostly returns one container. The last one requests at least one device.
func (g *generator) containers(names []string) []problem.Container {
	type kinds []problem.ContainerKind
	chosen := pick(g,
		kinds{problem.Main}, kinds{problem.Main}, kinds{problem.Main}, kinds{problem.Main, problem.Main},
		kinds{problem.Init}, kinds{problem.Init, problem.Main}, kinds{problem.Init, problem.Init, problem.Main},
		kinds{problem.Sidecar, problem.Init}, kinds{problem.Init, problem.Sidecar, problem.Main}, kinds{problem.Sidecar, problem.Init, problem.Main},
	)
	requested := []string{pick(g, names...)}
	if g.chance(25) {
		requested = append(requested, pick(g, names...))
	}
	var all []problem.Container
	for i, kind := range chosen {
		c := problem.Container{Name: fmt.Sprintf("c%d", i), Kind: kind, Extended: map[string]int64{}}
		for _, name := range requested {
			c.Extended[name] = pick[int64](g, 0, 1, 1, 1, 1, 2, 2, 3)
			if i == len(chosen)-1 {
				c.Extended[name] = max(1, c.Extended[name])
			}
		}
		all = append(all, c)
	}
	return all
}
