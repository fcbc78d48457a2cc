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

package eviction

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TaintedClaimWaits taints the device of a claim with a consumer the controller does not delete. A
// pod with a tolerating claim is scheduled.
var TaintedClaimWaits = harness.Case{Meta: spec.Meta{
	ID:         "eviction/tainted-claim-waits",
	Checks:     "The scheduler does not reserve a claim for further pods if its device has an untolerated NoExecute taint.",
	Requires:   []spec.RequirementID{"kep-5055/tainted-claim-no-new-pods"},
	Needs:      spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints}},
	KnownIssue: issues.Known("tainted-claim-waits"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], named("device"), named("tolerated"))
	of := func(name string) *resourceapi.ResourceClaim {
		return objects.Claim(name, objects.Request("req", class, t.Attribute("name")+" == '"+name+"'"))
	}
	t.Create(of("device"), objects.Tolerating(of("tolerated"), nil))
	for _, name := range []string{"device", "tolerated"} {
		t.Create(objects.Pod("first-"+name, t.Image, name))
		t.WaitScheduled("first-" + name)
		edit.ClaimStatus(t, name, func(c *resourceapi.ResourceClaim) {
			c.Status.ReservedFor = append(c.Status.ReservedFor, objects.Stranger("stranger"))
		})
	}
	taint(t, "pool", map[string]resourceapi.DeviceTaint{
		"device": broken(resourceapi.DeviceTaintEffectNoExecute), "tolerated": broken(resourceapi.DeviceTaintEffectNoExecute),
	})
	t.WaitPodGone("first-device")

	scheduler.AwaitSeen(t)
	// The scheduler handles this schedulable pod afterwards: once it is scheduled, the first one
	// has been handled.
	t.Create(objects.Pod("second-device", t.Image, "device"), objects.Pod("second-tolerated", t.Image, "tolerated"))
	t.WaitScheduled("second-tolerated")
	scheduled := t.OccursWithin(reservingTime, "the pod to be scheduled, or deleted, with the tainted device", func(ctx context.Context) (bool, string, error) {
		pod, err := t.Client.CoreV1().Pods(t.Namespace).Get(ctx, "second-device", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, "it is gone", nil
		}
		if err != nil {
			return false, "", err
		}
		return pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil, fmt.Sprintf("node %q", pod.Spec.NodeName), nil
	})
	if scheduled {
		t.KnownIssue("expected no pod to be scheduled with a claim for a device with a NoExecute taint, and one was within %s", reservingTime)
		return
	}
	pod := t.PodNow("second-device")
	t.Expect(pod.Spec.NodeName).To(gomega.BeEmpty(), "node of a pod with a tainted device in its claim")
}}

// reservingTime bounds the scheduling of one pod after the next one's.
const reservingTime = 5 * time.Second
