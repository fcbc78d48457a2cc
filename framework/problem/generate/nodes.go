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

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
)

// addNodes makes one node, or a few with different labels.
func (g *generator) addNodes() {
	n := 1
	if g.knobs[severalNodes] {
		n = g.between(2, 3)
	}
	for i := range n {
		name := fmt.Sprintf("node-%d", i)
		g.p.Nodes = append(g.p.Nodes, problem.Node{
			Name:   name,
			Labels: map[string]string{"kubernetes.io/hostname": name, "zone": pick(g, "east", "west"), "rack": fmt.Sprint(g.IntN(2))},
		})
	}
}

// selection is the node selection of a slice or device.
type selection struct {
	nodeName     *string
	allNodes     *bool
	nodeSelector *corev1.NodeSelector
}

// selection mostly includes the first node.
func (g *generator) selection() selection {
	some := 15
	if g.knobs[severalNodes] || g.knobs[perDevice] {
		some = 30
	}
	switch kind := g.IntN(100); {
	case kind < some:
		return selection{allNodes: ptr.To(true)}
	case kind < 2*some:
		return selection{nodeSelector: g.nodeSelector()}
	case g.knobs[severalNodes] && g.chance(40):
		return selection{nodeName: ptr.To(pick(g, g.p.Nodes...).Name)}
	case g.knobs[severalNodes] && g.chance(5):
		return selection{nodeName: ptr.To("gone")}
	}
	return selection{nodeName: ptr.To(g.p.Nodes[0].Name)}
}

func (g *generator) nodeSelector() *corev1.NodeSelector {
	node := g.p.Nodes[0]
	if g.chance(30) {
		node = pick(g, g.p.Nodes...)
	}
	zone := corev1.NodeSelectorRequirement{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{node.Labels["zone"]}}
	rack := corev1.NodeSelectorRequirement{Key: "rack", Operator: corev1.NodeSelectorOpIn, Values: []string{node.Labels["rack"]}}
	host := corev1.NodeSelectorRequirement{Key: "kubernetes.io/hostname", Operator: corev1.NodeSelectorOpExists}
	name := corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node.Name}}
	var term corev1.NodeSelectorTerm
	switch g.IntN(6) {
	case 0, 1:
		term.MatchExpressions = []corev1.NodeSelectorRequirement{zone}
	case 2:
		term.MatchExpressions = []corev1.NodeSelectorRequirement{rack, zone}
	case 3:
		term.MatchExpressions = []corev1.NodeSelectorRequirement{host}
	case 4:
		term.MatchFields = []corev1.NodeSelectorRequirement{name}
	default:
		term.MatchExpressions = []corev1.NodeSelectorRequirement{zone, host}
		term.MatchFields = []corev1.NodeSelectorRequirement{name}
	}
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}
}

func (g *generator) addFeatures() {
	if !g.knobs[featuresOff] {
		return
	}
	g.p.Off = some(g, problem.Gates())
	if g.chance(60) {
		g.p.Off = g.p.Off[:1]
	}
}
