package claims

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NoDeviceTwice has more claims than devices come at the same time.
var NoDeviceTwice = harness.Case{Meta: spec.Meta{
	ID:       "claims/no-device-twice",
	Checks:   "Concurrent claims never get the same device; waiting pods get devices once they are deallocated.",
	Requires: []spec.RequirementID{"kep-4381/in-flight-devices-not-shared"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	const number = 10
	class := devices(t, t.Nodes[0], number)
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
	takeInTurn(t, 2*number, number, func(given []resourceapi.DeviceRequestAllocationResult) { differ(t, given) })
}}
