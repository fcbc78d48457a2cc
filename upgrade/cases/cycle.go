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

package cases

import (
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// cycle has the differences between the cases switching a feature gate.
type cycle struct {
	gate spec.Feature
	// before creates the objects to live through all steps; it may be nil.
	before func(t *harness.T, n *Notes)
	// first, unless nil, runs after each step before the comparison with the notes: it notes its
	// own changes, and removes objects hit by the case's known issue.
	first func(t *harness.T, n *Notes, step path.Step)
	// on uses the feature, once all components have it, and leaves it in use.
	on func(t *harness.T, n *Notes)
	// off checks the behavior without the feature, and removes on's objects.
	off func(t *harness.T, n *Notes)
}

// of returns the case. Running pods must survive each mix of components with and without the
// feature.
func (c cycle) of(m spec.Meta) Case {
	return Case{
		Meta: m, Switches: c.gate,
		Before: func(t *harness.T, n *Notes) {
			if c.before != nil {
				c.before(t, n)
			}
			if t.Target().Gates[c.gate] {
				c.on(t, n)
			}
		},
		After: func(t *harness.T, n *Notes, step path.Step) {
			if c.first != nil {
				c.first(t, n, step)
			}
			n.unchanged(t)
			switch {
			case step.Gate != c.gate || !step.Completes():
			case step.On:
				c.on(t, n)
			default:
				c.off(t, n)
				t.Driver.AwaitUnprepared()
				n.Round++
			}
		},
		Gone: func(t *harness.T, n *Notes) {
			for name, pod := range n.Pods {
				switch {
				case pod.Extended != nil:
					endPod(t, n, name)
				case len(n.Claims[name].Devices) > 0:
					end(t, name)
				default:
					t.RemovePod(name)
				}
			}
			t.Driver.AwaitUnprepared()
		},
	}
}
