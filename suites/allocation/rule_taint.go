package allocation

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RuleTaint has an administrator keep pods from devices.
var RuleTaint = harness.Case{Meta: spec.Meta{
	ID: "allocation/rule-taint",
	Checks: "While a DeviceTaintRule gives a device a taint NoSchedule, only claims that tolerate it get the device, as if its slice had the taint; other devices " +
		"of the driver are allocated. Without the rule the pod that waits gets it.",
	Requires: []spec.RequirementID{"kep-5055/rule-like-slice"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], profiles.Device(0, "a", "8Gi"), profiles.Device(1, "a", "8Gi"))
	taint := resourceapi.DeviceTaint{Key: "example.com/taint", Effect: resourceapi.DeviceTaintEffectNoSchedule}
	rule := objects.TaintRule(t.DriverName(), t.DriverName(), taint)
	rule.Spec.DeviceSelector.Device = ptr.To("device-0")
	t.Create(rule)
	untilRulesAreSeen(t, class, taint)

	request := func() resourceapi.DeviceRequest { return objects.Request("req", class, model(t, "a")) }
	t.Expect(use(t, objects.Claim("other", request()))).To(matchers.HaveDevices("device-1"), "device without the taint")
	wait(t, objects.Claim("waits", request()))
	tolerant := objects.Claim("tolerant", request())
	tolerant.Spec.Devices.Requests[0].Exactly.Tolerations = []resourceapi.DeviceToleration{{Key: "example.com/taint", Operator: resourceapi.DeviceTolerationOpExists}}
	t.Expect(use(t, tolerant)).To(matchers.HaveDevices("device-0"), "device with the taint")
	release(t, "tolerant")
	t.Delete(rule)
	t.Expect(used(t, "waits")).To(matchers.HaveDevices("device-0"), "device when the rule is gone")
}}

// untilRulesAreSeen returns once the scheduler passes devices over for a rule that is
// younger than all others of the case: it sees rules in the order in which they were made,
// but by another watch than slices. Each pod that asks has a device that nobody has had, and
// the first one shows that the slice of those is known: a pod waits only for the rule.
func untilRulesAreSeen(t *harness.T, class string, taint resourceapi.DeviceTaint) {
	const pods = 40
	var devices []resourceapi.Device
	for i := range pods {
		devices = append(devices, profiles.Device(100+i, "b", "8Gi"))
	}
	t.Publish("witness", t.Nodes[0], devices...)
	use(t, objects.Claim("witness-0", objects.Request("req", class, model(t, "b"))))
	rule := objects.TaintRule("witness-"+t.DriverName(), t.DriverName(), taint)
	rule.Spec.DeviceSelector.Pool = ptr.To("witness")
	t.Create(rule)
	for i := range pods - 1 {
		name := fmt.Sprintf("witness-%d", i+1)
		t.Create(objects.Claim(name, objects.Request("req", class, model(t, "b"))), objects.Pod(name, t.Image, name))
		pod := t.WaitPod(name, "scheduled or not", func(p *corev1.Pod) (bool, error) {
			return p.Spec.NodeName != "" || harness.Unschedulable(p, noDevices), nil
		})
		if pod.Spec.NodeName == "" {
			return
		}
		t.RemovePod(name)
	}
	t.Fatalf("the scheduler has given devices to %d pods in spite of a rule's taint", pods-1)
}

// model is the CEL expression that selects devices of a model.
func model(t *harness.T, name string) string {
	return t.Attribute(profiles.Model) + " == '" + name + "'"
}
