package binding

import (
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OthersGoOn has many pods wait for conditions.
var OthersGoOn = harness.Case{Meta: spec.Meta{
	ID: "binding/others-go-on",
	Checks: "While eight pods wait for conditions of their devices, pods without claims and with devices that have no conditions are bound; the eight are when their " +
		"devices are ready.",
	Requires: []spec.RequirementID{"kep-5007/waiting-does-not-hold-queue"},
	Needs:    spec.Needs{NoKubelet: true, Features: features()},
}, Run: func(t *harness.T) {
	const waiting = 8
	class := t.CreateClass(nil)
	var slow []resourceapi.Device
	for i := range waiting {
		slow = append(slow, conditional(fmt.Sprintf("device-%d", i), profiles.Attached))
	}
	t.Publish("slow", t.Nodes[0], slow...)
	name := func(i int) string { return fmt.Sprintf("slow-%d", i) }
	for i := range waiting {
		t.Create(objects.Claim(name(i), objects.Request("req", class)), objects.Pod(name(i), t.Image, name(i)))
	}
	for i := range waiting {
		t.WaitEvent(name(i), "BindingConditionsPending", "")
	}
	t.Publish("fast", t.Nodes[0], profiles.OneDevice().Pools[0].Devices...)
	t.Create(objects.Pod("plain", t.Image), objects.Claim("fast", objects.Request("req", class)), objects.Pod("fast", t.Image, "fast"))
	t.WaitScheduled("plain")
	t.WaitScheduled("fast")
	t.Expect(t.Claim("fast")).To(matchers.HaveDevicesFrom("fast"), "pool of the device without conditions")
	for i := range waiting {
		pod := t.WaitPod(name(i), "there", func(*corev1.Pod) (bool, error) { return true, nil })
		t.Expect(pod.Spec.NodeName).To(gomega.BeEmpty(), "node of pod %s, which waits", name(i))
	}
	for i := range waiting {
		meet(t, name(i))
	}
	for i := range waiting {
		ready(t, name(i), name(i))
	}
}}
