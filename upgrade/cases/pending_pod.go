package cases

import (
	"fmt"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// PendingPod has a pod wait for the only device during each step.
var PendingPod = Case{
	Meta: spec.Meta{
		ID:       "upgrade/pending-pod",
		Checks:   "A pod that waits for a device during a step gets it when it becomes free after the step.",
		Requires: []spec.RequirementID{"kep-4381/unschedulable-says-why", "kep-4381/deallocate-after-last"},
		Needs:    spec.Needs{Profile: profiles.OneDevice()},
	},
	Before: func(t *harness.T, n *Notes) {
		class := t.CreateClass(nil)
		t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
		t.RunPod(objects.PodFromTemplate(waiter(n), t.Image, "template"))
		wait(t, n)
	},
	After: func(t *harness.T, n *Notes, _ path.Step) {
		holder := Notes{Round: n.Round - 1}
		t.RemovePod(waiter(&holder))
		t.WaitRunning(waiter(n))
	},
	Anew: func(t *harness.T, n *Notes, _ path.Step) { wait(t, n) },
	Gone: func(t *harness.T, n *Notes) {
		holder := Notes{Round: n.Round - 1}
		t.RemovePod(waiter(n))
		t.RemovePod(waiter(&holder))
	},
}

func waiter(n *Notes) string { return fmt.Sprintf("pod-%d", n.Round) }

// wait makes the pod that is to wait for the device of the one before it.
func wait(t *harness.T, n *Notes) {
	n.Round++
	t.Create(objects.PodFromTemplate(waiter(n), t.Image, "template"))
	t.WaitUnschedulable(waiter(n), "cannot allocate all claims")
}
