package core

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// InitContainer uses a claim before the other containers do.
var InitContainer = harness.Case{Meta: spec.Meta{
	ID:       "core/init-container",
	Checks:   "An init container sees the device of the claim that it names, as does the container after it.",
	Requires: []spec.RequirementID{"kep-4381/cdi-into-container", "kep-4381/share-between-containers"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.InitContainers = []corev1.Container{objects.Container("init", t.Image, objects.ShowAndEnd, "claim")}

	t.RunPod(pod)

	for _, container := range []string{"init", "main"} {
		t.Expect(t.Environment("pod", container)).To(matchers.SeeDevices("claim", "req", "device-0"), "device of container %s", container)
	}
}}
