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

package controlplane

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/metrics"
)

const (
	seatsMetric  = "apiserver_flowcontrol_current_limit_seats"
	queuedMetric = "apiserver_flowcontrol_current_inqueue_requests"

	// holdPrecedence is the highest one for FlowSchemas other than "exempt".
	holdPrecedence = 2
	holdProbe      = "dratest-hold"
)

// Hold is a set of requests queued by API Priority and Fairness.
type Hold struct{ name string }

// HoldStatusUpdates makes the API server hold back updates of the status of claims in the case's
// namespace until they are released, and returns once that is effective. Patches are not held back,
// and neither are requests of system:masters.
//
// The requests wait for a seat of a priority level without seats. After 15 s the API server rejects them
// with code 429, and client-go repeats them up to ten times. The queue is a server's own, so
// the case needs Needs.OneAPIServer.
func HoldStatusUpdates(t *harness.T) *Hold {
	ginkgo.GinkgoHelper()
	h := &Hold{name: t.Namespace}
	families, err := metrics.APIServer(t.Context(), t.Client)
	t.NoError(err, "read the API server's metrics")
	if families[seatsMetric] == nil {
		t.Blockedf("the API server has no metric %s: API Priority and Fairness is disabled", seatsMetric)
	}
	t.Create(h.level(), h.schema(t.Namespace))
	// Queued requests would delay the deletion of the case's namespace.
	t.OnRestore(func(ctx context.Context) error {
		if err := h.setSeats(ctx, t, 1); !apierrors.IsNotFound(err) {
			return err
		}
		return nil
	})
	// The level has a seat at first: a dispatched probe request proves that the FlowSchema is effective.
	probe := t.As(rest.ImpersonationConfig{UserName: holdProbe}).ResourceV1().ResourceClaims(t.Namespace)
	t.Poll("FlowSchema "+h.name+" to be effective", func(ctx context.Context) (bool, string, error) {
		_, err := probe.UpdateStatus(ctx, probeClaim(), metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		if err != nil && !apierrors.IsForbidden(err) && !apierrors.IsNotFound(err) {
			return false, "", err
		}
		families, err := metrics.APIServer(ctx, t.Client)
		n := metrics.Dispatched(families, h.name)
		return n > 0, fmt.Sprintf("%g requests", n), err
	})
	t.NoError(h.setSeats(t.Context(), t, 0), "hold requests back")
	h.wait(t, "no seats", seatsMetric, func(n float64) bool { return n == 0 })
	return h
}

// WaitHeld waits until a number of requests are held back.
func WaitHeld(t *harness.T, h *Hold, number int) {
	ginkgo.GinkgoHelper()
	h.wait(t, fmt.Sprintf("%d requests in its queue", number), queuedMetric, func(n float64) bool { return int(n) == number })
}

// Release lets all requests go. It returns once none is held back.
func Release(t *harness.T, h *Hold) {
	ginkgo.GinkgoHelper()
	t.Step("release requests held back")
	t.NoError(h.setSeats(t.Context(), t, 1), "release requests")
	h.wait(t, "an empty queue", queuedMetric, func(n float64) bool { return n == 0 })
}

func (h *Hold) wait(t *harness.T, what, metric string, ok func(float64) bool) {
	ginkgo.GinkgoHelper()
	t.Poll(fmt.Sprintf("priority level %s to have %s", h.name, what), func(ctx context.Context) (bool, string, error) {
		families, err := metrics.APIServer(ctx, t.Client)
		n, found := metrics.Value(families[metric], map[string]string{"priority_level": h.name})
		return found && ok(n), fmt.Sprintf("%s: %g", metric, n), err
	})
}

func (h *Hold) level() *flowcontrolv1.PriorityLevelConfiguration {
	return &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: h.name},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: ptr.To[int32](1),
				LendablePercent:          ptr.To[int32](0),
				BorrowingLimitPercent:    ptr.To[int32](0), // a level without seats would borrow some
				LimitResponse: flowcontrolv1.LimitResponse{
					Type:    flowcontrolv1.LimitResponseTypeQueue,
					Queuing: &flowcontrolv1.QueuingConfiguration{Queues: 1, HandSize: 1, QueueLengthLimit: 50},
				},
			},
		},
	}
}

func (h *Hold) schema(namespace string) *flowcontrolv1.FlowSchema {
	return &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: h.name},
		Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: h.name},
			MatchingPrecedence:         holdPrecedence,
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindGroup, Group: &flowcontrolv1.GroupSubject{Name: "system:authenticated"}}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
					Verbs: []string{"update"}, APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceclaims/status"}, Namespaces: []string{namespace},
				}},
			}},
		},
	}
}

func (h *Hold) setSeats(ctx context.Context, t *harness.T, shares int32) error {
	levels := t.Client.FlowcontrolV1().PriorityLevelConfigurations()
	_, err := levels.Patch(ctx, h.name, types.MergePatchType, fmt.Appendf(nil, `{"spec":{"limited":{"nominalConcurrencyShares":%d}}}`, shares), metav1.PatchOptions{})
	return err
}

// probeClaim is a claim that does not exist.
func probeClaim() *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: holdProbe}}
}
