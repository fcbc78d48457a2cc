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

package oracle

import (
	"encoding/json"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
)

// setting is a configuration of a request.
type setting struct {
	source resourceapi.AllocationConfigSource
	driver string
	// parameters is normalized JSON.
	parameters string
}

func settingOf(source resourceapi.AllocationConfigSource, c *resourceapi.DeviceConfiguration) setting {
	if c.Opaque == nil {
		return setting{source: source}
	}
	return setting{source, c.Opaque.Driver, normal(c.Opaque.Parameters.Raw)}
}

func normal(raw []byte) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return string(raw)
	}
	return string(text)
}

// config compares the configurations of the allocation with those of class and claim, in this
// order, for each request.
func (j *allocated) config() {
	entries := j.allocation.Devices.Config
	used := make([]bool, len(entries))
	for i := range j.demand.requests {
		c := j.chosen[j.demand.requests[i].name]
		if c == nil {
			continue
		}
		var expected, got []setting
		if c.class != nil {
			for i := range c.class.Spec.Config {
				expected = append(expected, settingOf(resourceapi.AllocationConfigSourceClass, &c.class.Spec.Config[i].DeviceConfiguration))
			}
		}
		for i := range j.demand.claim.Spec.Devices.Config {
			if config := &j.demand.claim.Spec.Devices.Config[i]; c.named(config.Requests) {
				expected = append(expected, settingOf(resourceapi.AllocationConfigSourceClaim, &config.DeviceConfiguration))
			}
		}
		for i := range entries {
			if c.named(entries[i].Requests) {
				got = append(got, settingOf(entries[i].Source, &entries[i].DeviceConfiguration))
				used[i] = true
			}
		}
		if !slices.Equal(expected, got) {
			j.violated(configOfRequest, "request %s has configurations %v instead of %v", c.name, got, expected)
		}
	}
	if i := slices.Index(used, false); i >= 0 && len(j.chosen) > 0 {
		j.violated(configOfChosen, "configuration for requests %v, which have no device", entries[i].Requests)
	}
}

// nodeSelector compares the allocation's node selector with the nodes of its devices, on the
// problem's nodes and on renamed copies.
func (j *allocated) nodeSelector() {
	nodes := []problem.Node{{Name: "another-node"}}
	for _, n := range j.w.p.Nodes {
		nodes = append(nodes, n, problem.Node{Name: "another-" + n.Name, Labels: n.Labels})
	}
	binds := false
	for _, d := range j.devices {
		binds = binds || d != nil && ptr.Deref(d.BindsToNode, false)
	}
	if binds && j.w.off["DeviceBindingAndStatus"] {
		return
	}
	for i := range nodes {
		node := &nodes[i]
		expected := yes
		for _, d := range j.devices {
			if d != nil {
				expected = min(expected, j.w.reaches(d, node))
			}
		}
		why := selectorNodes
		if binds && node.Name != j.node.Name && expected != no {
			expected, why = no, bindsToNode
		}
		if expected != open && available(j.allocation.NodeSelector, node) != (expected == yes) {
			j.violated(why, "available on node %s with labels %v: %t, its devices: %t", node.Name, node.Labels, expected == no, expected == yes)
			return
		}
	}
}
