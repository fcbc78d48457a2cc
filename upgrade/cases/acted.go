package cases

import (
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
)

// awaitActed waits until scheduler and controllers have dealt with a pod that is made now, for
// which there is no device. What has waited before it they have looked at, too: the queue of a
// scheduler has the oldest first, and one that has just been started fills it before it begins.
// Without that, what waits may only wait because nobody has looked at it since the step.
func awaitActed(t *harness.T) {
	const probe = "comes-last"
	template := objects.Template(probe, objects.Claim("", objects.Request("req", t.Driver.Name, "false")))
	t.Create(template, objects.PodFromTemplate(probe, t.Image, probe))
	t.WaitUnschedulable(probe, "cannot allocate all claims")
	t.RemovePod(probe)
	t.Delete(template)
}
