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

package extended

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// clearingTime bounds how long the pod's status may name a deleted claim.
const clearingTime = 5 * time.Second

// StatusCleared makes the API server reject a pod's binding. The bound pod's status names its new
// claim.
var StatusCleared = harness.Case{Meta: spec.Meta{
	ID:         "extended/status-cleared",
	Checks:     "After a failed binding the special claim is deleted and removed from the pod's status.",
	Requires:   []spec.RequirementID{"kep-5004/status-cleared-with-claim", "kep-5004/claim-gone-if-not-scheduled"},
	Needs:      spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ExtendedResource}},
	KnownIssue: issues.Known("status-cleared"),
}, Run: func(t *harness.T) {
	one := map[string]int64{createClass(t): 1}
	t.Publish("pool", t.Nodes[0], deviceOf("device-0"))
	unseen := unscheduled(objects.PodWanting("unseen", t.Image, one))
	t.Create(unseen)
	noBinding := writes(t)["binding"](unseen)
	t.Create(objects.PodWanting("pod", t.Image, one))
	t.WaitEvent("pod", "FailedScheduling", noBinding.Message)

	t.Poll("the special claim to be gone", func(context.Context) (bool, string, error) {
		claims := special(t)
		return len(claims) == 0, fmt.Sprint(claims), nil
	})
	seen := ""
	cleared := t.OccursWithin(clearingTime, "neither a special claim to be there nor the pod's status to name one", func(ctx context.Context) (bool, string, error) {
		pod, err := t.Client.CoreV1().Pods(t.Namespace).Get(ctx, "pod", metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		claims, named := special(t), pod.Status.ExtendedResourceClaimStatus
		seen = fmt.Sprintf("claims %v, status %v", claims, named)
		return len(claims) == 0 && (named == nil || named.ResourceClaimName == ""), seen, nil
	})
	admission.Accept(t, noBinding)
	pod := t.WaitScheduled("pod")
	t.Expect(special(t)).To(gomega.ConsistOf(pod.Status.ExtendedResourceClaimStatus.ResourceClaimName), "special claims when the pod is bound, and the one in its status")
	if !cleared {
		t.KnownIssue("expected no special claim, and none in the unbound pod's status, within %s, got %s", clearingTime, seen)
	}
}}
