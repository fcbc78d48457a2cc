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
	"context"
	"fmt"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// The driver comes in two versions: the old one offers only v1beta1 of the kubelet's plugin API, as
// drivers of Kubernetes 1.33 do, the new one only v1. After each step one replaces the other, so
// each change happens before, between and after the kubelets' steps.

// DriverRolling replaces the driver by rolling updates between the steps, old to new and back. Each
// version unprepares the other's claims once. Pods being prepared by the old version during the
// update get their devices.
var DriverRolling = Case{
	Meta: spec.Meta{
		ID:       "upgrade/driver-rolling",
		Checks:   "Pods survive rolling updates of the driver between steps, and either version unprepares the other's claims.",
		Requires: []spec.RequirementID{"kep-4381/registration", "kep-4381/unprepare-after-last", "kep-4381/newest-plugin-api"},
		Needs:    spec.Needs{Profile: profiles.Devices(3), Nodes: 2, GRPC: []spec.GRPCVersion{spec.GRPCv1beta1}},
	},
	Before: beforeDriver,
	After: func(t *harness.T, n *Notes, step path.Step) {
		if n.unchanged(t); !concerns(t, step) {
			return
		}
		late := startLate(t, n)
		simdriver.Of(t).Upgrade(spoken(n.Round + 1))
		lateRun(t, n, late)
		left := deletePods(t, n)
		for _, name := range late {
			t.Delete(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: t.Namespace}})
		}
		left = append(left, late...)
		goneOnce(t, left, spoken(n.Round+1))
		n.unchanged(t)
	},
	Anew: anewDriver,
	Gone: goneDriver,
}

// DriverStopStart stops the driver, deletes pods meanwhile, and starts the other version. Claims
// are unprepared once when it is back.
var DriverStopStart = Case{
	Meta: spec.Meta{
		ID:       "upgrade/driver-stop-start",
		Checks:   "Pods survive stopping the driver and starting another version, and pods deleted meanwhile terminate afterwards.",
		Requires: []spec.RequirementID{"kep-4381/registration", "kep-4381/unprepare-after-last", "kep-4381/unprepare-retried"},
		Needs:    spec.Needs{Profile: profiles.Devices(3), Nodes: 2, GRPC: []spec.GRPCVersion{spec.GRPCv1beta1}},
	},
	Before: beforeDriver,
	After: func(t *harness.T, n *Notes, step path.Step) {
		if n.unchanged(t); !concerns(t, step) {
			return
		}
		simdriver.Of(t).Disconnect()
		left := deletePods(t, n)
		n.unchanged(t)
		simdriver.Of(t).ConnectAs(spoken(n.Round + 1))
		goneOnce(t, left, spoken(n.Round+1))
		n.unchanged(t)
	},
	Anew: anewDriver,
	Gone: goneDriver,
}

// spoken returns the plugin API version offered by the driver of a round.
func spoken(round int) spec.GRPCVersion {
	if round%2 == 0 {
		return spec.GRPCv1
	}
	return spec.GRPCv1beta1
}

func stays(node string) string { return "stays-" + node }

// beforeDriver creates a pod per node to live through the steps, and another one.
func beforeDriver(t *harness.T, n *Notes) {
	class := t.CreateClass(nil)
	for _, node := range t.Nodes {
		name := stays(node)
		t.Create(objects.Claim(name, objects.Request("req", class)))
		t.RunPod(objects.OnlyOn(objects.Pod(name, t.Image, name), node))
		n.note(t, name, name)
	}
	anewDriver(t, n, path.Step{})
}

// anewDriver creates the pods of a round, prepared by the driver of this round.
func anewDriver(t *harness.T, n *Notes, step path.Step) {
	if !concerns(t, step) {
		return
	}
	makeRound(t, n)
	for _, node := range t.Nodes {
		name := inRound(n, node)
		t.Expect(simdriver.Of(t).Calls(spec.Prepare, name)).To(gomega.HaveEach(gomega.HaveField("GRPC", spoken(n.Round))), "NodePrepareResources calls for claim %s", name)
	}
}

// slowly is the old driver's delay for the last pods: longer than the registration of the new one.
const slowly = 5 * time.Second

// startLate creates a pod and a claim of the same name on each node, and returns the names while
// the driver prepares the claims.
func startLate(t *harness.T, n *Notes) (names []string) {
	var faults []spec.Fault
	for _, node := range t.Nodes {
		name := "late-" + inRound(n, node)
		names = append(names, name)
		faults = append(faults, spec.Fault{Method: spec.Prepare, Kind: spec.FaultSlow, Claim: name, Delay: slowly, Times: 1})
	}
	simdriver.Of(t).Fail(faults...)
	for i, name := range names {
		t.Create(objects.Claim(name, objects.Request("req", t.DriverName())), objects.OnlyOn(objects.Pod(name, t.Image, name), t.Nodes[i]))
	}
	for _, name := range names {
		t.Poll("the driver to prepare claim "+name, func(context.Context) (bool, string, error) {
			calls := simdriver.Of(t).Calls(spec.Prepare, name)
			return len(calls) > 0, fmt.Sprintf("%d calls", len(calls)), nil
		})
	}
	return names
}

// lateRun checks that the pods of startLate got the devices of the old driver's pending calls.
func lateRun(t *harness.T, n *Notes, names []string) {
	for _, name := range names {
		t.WaitRunning(name)
		t.Expect(t.Environment(name, "main")).To(matchers.SeeOnlyDevices(result(t, t.Claim(name)).Device), "devices of pod %s", name)
		calls := simdriver.Of(t).Calls(spec.Prepare, name)
		t.Expect(calls[0].GRPC).To(gomega.Equal(spoken(n.Round)), "version of the plugin API by which claim %s was prepared first", name)
		t.Expect(calls[len(calls)-1].Error).To(gomega.BeEmpty(), "what the last call to prepare claim %s came to", name)
	}
	simdriver.Of(t).Fail()
}

// deletePods deletes the pods of the round without waiting. It returns their names, equal to their
// claims' names.
func deletePods(t *harness.T, n *Notes) []string {
	var names []string
	for _, node := range t.Nodes {
		name := inRound(n, node)
		t.Delete(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: t.Namespace}})
		n.forget(name, name)
		names = append(names, name)
	}
	return names
}

// goneOnce waits until deleted pods are gone, with their claims unprepared once, by the driver
// offering this version of the plugin API.
func goneOnce(t *harness.T, names []string, version spec.GRPCVersion) {
	for _, name := range names {
		t.WaitPodGone(name)
		awaitUnprepared(t, name)
		t.WaitDeallocated(name)
		deleteClaim(t, name)
		t.Expect(simdriver.Of(t).Calls(spec.Unprepare, name)).To(gomega.HaveExactElements(gomega.HaveField("GRPC", version)), "NodeUnprepareResources calls for claim %s", name)
	}
}

func goneDriver(t *harness.T, n *Notes) {
	left := deletePods(t, n)
	goneOnce(t, left, spoken(n.Round))
	for _, node := range t.Nodes {
		end(t, stays(node))
		simdriver.Of(t).ExpectCalls(spec.Prepare, stays(node), 1, "from first to last")
	}
}
