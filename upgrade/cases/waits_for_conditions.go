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
	"slices"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// WaitsForConditions has a pod waiting in PreBind during each step.
var WaitsForConditions = Case{
	Meta: spec.Meta{
		ID:       "upgrade/waits-for-conditions",
		Checks:   "A pod waiting for binding conditions is not bound by a step, but when the conditions become true.",
		Requires: []spec.RequirementID{"kep-5007/restart-recovers", "kep-5007/waits-for-conditions", "kep-5007/controller-prepares"},
		Needs:    spec.Needs{Features: []spec.Feature{spec.BindingConditions, spec.DeviceStatus}, Profile: profiles.FabricDevice()},
	},
	Before: func(t *harness.T, n *Notes) {
		t.CreateClass(nil)
		waitBound(t, n)
	},
	After: func(t *harness.T, n *Notes, step path.Step) {
		waiting := awaitLookedAt(t, n, step)
		t.Expect(waiting.Spec.NodeName).To(gomega.BeEmpty(), "node of pod %s after its device was left untouched", waiting.Name)
		if concerns(t, step) {
			bindNow(t, n)
		}
	},
	Anew: func(t *harness.T, n *Notes, step path.Step) {
		if concerns(t, step) {
			waitBound(t, n)
		}
	},
	Gone: bindNow,
}

func unbound(n *Notes) string { return fmt.Sprintf("unbound-%d", n.Round) }

// waitBound creates a pod with a device without any conditions set.
func waitBound(t *harness.T, n *Notes) {
	n.Round++
	simdriver.Of(t).Fabric(t.Nodes[0])
	t.Create(objects.Claim(unbound(n), one(t.DriverName())), objects.Pod(unbound(n), t.Image, unbound(n)))
	t.WaitEvent(unbound(n), pendingEvent, t.Nodes[0])
	var err error
	n.Seen, err = sayPending(t.Context(), t, n)
	t.NoError(err, "list the events about pod %s", unbound(n))
}

// pendingEvent is the scheduler's event for a pod waiting in PreBind: once per pod, and again after
// a restart.
const pendingEvent = "BindingConditionsPending"

// sayPending returns these events of the pod of the round.
func sayPending(ctx context.Context, t *harness.T, n *Notes) ([]types.UID, error) {
	list, err := t.Client.CoreV1().Events(t.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.Set{"involvedObject.name": unbound(n), "reason": pendingEvent}.String(),
	})
	if err != nil {
		return nil, err
	}
	var events []types.UID
	for _, e := range list.Items {
		events = append(events, e.UID)
	}
	return events, nil
}

// awaitLookedAt waits until scheduler and controllers have been active since the step. A new
// scheduler must have handled the pod of the round: it waits again, or is bound.
func awaitLookedAt(t *harness.T, n *Notes, step path.Step) (pod *corev1.Pod) {
	awaitActed(t)
	t.Poll("pod "+unbound(n)+" to be looked at since the step", func(ctx context.Context) (_ bool, seen string, err error) {
		if pod, err = t.Client.CoreV1().Pods(t.Namespace).Get(ctx, unbound(n), metav1.GetOptions{}); err != nil {
			return false, "", err
		}
		events, err := sayPending(ctx, t, n)
		if err != nil {
			return false, "", err
		}
		events = slices.DeleteFunc(events, func(e types.UID) bool { return slices.Contains(n.Seen, e) })
		again := step.Place.Component != path.Scheduler || len(events) > 0
		return again || pod.Spec.NodeName != "", fmt.Sprintf("%d new events %s", len(events), pendingEvent), nil
	})
	return pod
}

// bindNow makes the conditions true, waits for the pod to be bound, and deletes it.
func bindNow(t *harness.T, n *Notes) {
	simdriver.Of(t).ExpectCalls(spec.Prepare, unbound(n), 0, "before its pod is bound")
	attachAtOnce(t)
	t.WaitScheduled(unbound(n))
	claim := t.Claim(unbound(n))
	t.Expect(claim).To(matchers.HaveDeviceConditions(profiles.Attached, profiles.Configured), "conditions of claim %s when its pod was bound", claim.Name)
	t.WaitRunning(unbound(n))
	t.Expect(t.Environment(unbound(n), "main")).To(matchers.SeeOnlyDevices("device-0"), "devices of pod %s", unbound(n))
	simdriver.Of(t).ExpectCalls(spec.Prepare, unbound(n), 1, "")
	end(t, unbound(n))
}
