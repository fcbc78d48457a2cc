package core

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ContainerRestarted ends a container and looks at the next one (kubernetes-sigs/dra-driver-cpu#235).
var ContainerRestarted = harness.Case{Meta: spec.Meta{
	ID:       "core/container-restarted",
	Checks:   "A restarted container has the same device as before.",
	Requires: []spec.RequirementID{"kep-4381/cdi-into-container", "kep-4381/cdi-files-exist"},
	Needs:    spec.Needs{Profile: profiles.OneDevice(), Devices: 1},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", t.Request("req")))
	pod := t.Pod("pod", "claim")
	pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	t.RunPod(pod)
	claim := t.WaitAllocated("claim")
	t.ExpectDevices("pod", "main", claim)

	t.EndContainer("pod", "main")

	t.WaitRunningAgain("pod", 0)
	t.ExpectDevices("pod", "main", claim)
}}
