package cases

import (
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// cycle is what the cases of a feature gate that is switched differ in.
type cycle struct {
	gate spec.Feature
	// before makes what lives through all of it; it may be nil.
	before func(t *harness.T, n *Notes)
	// first, unless nil, comes after each step before what was noted is compared: it notes anew
	// what it changes, and ends what the case's known issue has hit.
	first func(t *harness.T, n *Notes, step path.Step)
	// on uses the feature, where all components have it, and leaves it in use.
	on func(t *harness.T, n *Notes)
	// off checks what can be had without the feature, and ends what on has left.
	off func(t *harness.T, n *Notes)
}

// of makes a case of it. What runs has to run on in each mixture of components with
// and without the feature.
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
