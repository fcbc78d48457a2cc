package node

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TerminatingWithoutDriver deletes a pod whose driver is gone.
var TerminatingWithoutDriver = harness.Case{Meta: spec.Meta{
	ID:            "node/terminating-without-driver",
	Checks:        "A pod that cannot terminate because a driver is not there says so in an event that names the driver, and is gone once the driver is back.",
	Requires:      []spec.RequirementID{"kep-4381/stuck-pod-says-why", "kep-4381/unprepare-retried"},
	Needs:         spec.Needs{Profile: profiles.OneDevice()},
	Catches:       []spec.MutantID{"driver-unprepare-nothing-done"},
	WaitsFor:      "The kubelet tries to terminate a pod again after 10 s or more (k8s.io/kubernetes v1.37.1 pkg/kubelet/pod_workers.go).",
	SerialBecause: "It counts what the kubelet could not unprepare, whichever the driver.",
	KnownGap: &spec.Gap{
		Issue: "kubernetes#129402", Component: spec.Kubelet, Through: "1.37",
		Does: "The pod stays, and only the kubelet's log says why.",
	},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	pod := t.RunPod(objects.Pod("pod", t.Image, "claim"))
	failures := func() float64 {
		failed := map[string]string{"operation_name": "UnprepareResources", "is_error": "true"}
		number, _ := t.KubeletMetric(t.Nodes[0], "dra_operations_duration_seconds", failed)
		return number
	}
	before := failures()

	t.Driver.Disconnect()
	t.Delete(pod)
	// What is said about the first is there when the second has failed.
	t.Poll("two attempts to unprepare", func(context.Context) (bool, string, error) {
		n := failures() - before
		return n >= 2, fmt.Sprintf("%g failed", n), nil
	})

	if !slices.ContainsFunc(t.Events("pod"), func(e string) bool { return strings.Contains(e, t.Driver.Name) }) {
		t.Gap("the pod does not terminate, and no event names its driver")
	}
	t.Driver.Connect()
	t.WaitPodGone("pod")
	t.Driver.AwaitUnprepared()
}}
