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

package kubelet

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// notFoundPatience is how long a pod waits for a driver answering NOT_FOUND, for example because of
// a stale informer. Then the pod gets an event, and the kubelet retries.
const notFoundPatience = 10 * time.Second

// Prepare prepares the claims of a starting pod. It is idempotent. Errors are for users: they
// become part of a pod event.
func (m *Manager) Prepare(ctx context.Context, pod *corev1.Pod) error {
	start := m.config.Clock.Now()
	err := m.prepare(ctx, pod)
	m.config.Metrics.Operation("PrepareResources", err != nil, m.config.Clock.Since(start))
	return err
}

func (m *Manager) prepare(ctx context.Context, pod *corev1.Pod) error {
	pod = m.gated(pod)
	if !usesClaims(pod) && !m.has(pod.UID) {
		return nil
	}
	if err := m.rebuild(ctx); err != nil {
		return nodeplan.Prepare.Wrap(err)
	}
	desired := nodeplan.Desired{Run: []nodeplan.Pod{m.fetch(ctx, pod, authorizerPatience())}}
	return m.settle(ctx, nodeplan.Prepare, pod.UID, desired).Err
}

// Unprepare unprepares the claims of a pod without containers, except those in use by other pods.
// It is idempotent. On failure, the pod gets an event explaining why it keeps terminating: the
// kubelet only logs it.
func (m *Manager) Unprepare(ctx context.Context, pod *corev1.Pod) error {
	start := m.config.Clock.Now()
	err := m.unprepare(ctx, pod)
	m.config.Metrics.Operation("UnprepareResources", err != nil, m.config.Clock.Since(start))
	return err
}

func (m *Manager) unprepare(ctx context.Context, pod *corev1.Pod) error {
	if !usesClaims(m.gated(pod)) && !m.has(pod.UID) {
		return nil
	}
	outcome := nodeplan.Outcome{}
	if err := m.rebuild(ctx); err != nil {
		outcome.Err = nodeplan.Unprepare.Wrap(err)
	} else {
		outcome = m.settle(ctx, nodeplan.Unprepare, pod.UID, nodeplan.Desired{Stop: []types.UID{pod.UID}})
	}
	if outcome.Err != nil && ctx.Err() == nil && m.started() != nil {
		m.config.Recorder.Event(pod, corev1.EventTypeWarning, nodeplan.ReasonStuck, nodeplan.StuckMessage(outcome))
	}
	return outcome.Err
}

// has reports whether a pod is known to have claims. Pods without claims must not wait for
// anything: the API server may be one of them.
func (m *Manager) has(pod types.UID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.MightNeedUnprepare(pod)
}

// gated returns a pod without disabled features. A special claim prepared earlier stays: restarted
// containers keep their devices (KEP-5004, "Can the feature be disabled once it has been enabled").
// Kubernetes' kubelet starts them without (v1.37.1 pkg/kubelet/cm/dra/manager.go:559).
func (m *Manager) gated(pod *corev1.Pod) *corev1.Pod {
	extended := pod.Status.ExtendedResourceClaimStatus
	if m.config.Gates.DRAExtendedResource || extended == nil {
		return pod
	}
	if m.knows(pod.UID, nodeplan.ClaimID{Namespace: pod.Namespace, Name: extended.ResourceClaimName}) {
		return pod
	}
	without := *pod
	without.Status.ExtendedResourceClaimStatus = nil
	return &without
}

func (m *Manager) knows(pod types.UID, claim nodeplan.ClaimID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.Has(pod, claim)
}

// authorizerPatience bounds the retries of forbidden requests. The API server's node authorizer
// learns from its own watch that a pod is on this node, maybe later than the kubelet
// (k8s.io/kubernetes plugin/pkg/auth/authorizer/node). An error would cost the pod much more: the
// kubelet retries after its syncFrequency, 60 to 90 s by default. The wait must be bounded, because
// the kubelet does not cancel the start of a deleted pod.
func authorizerPatience() *wait.Backoff {
	return &wait.Backoff{Duration: 50 * time.Millisecond, Factor: 2, Steps: 7} // 6.35 s in all
}

// fetch gets the claims of a pod from the API server, and retries while forbidden. Informers do not
// suffice: a claim must be as the scheduler left it.
func (m *Manager) fetch(ctx context.Context, pod *corev1.Pod, patience *wait.Backoff) nodeplan.Pod {
	fetched := nodeplan.Pod{Pod: pod, Claims: make(map[string]nodeplan.Found)}
	// nodeplan detects a missing name as well.
	names, _ := nodeplan.ClaimNames(pod)
	for _, name := range names {
		fetched.Claims[name] = m.getPatiently(ctx, patience, nodeplan.ClaimID{Namespace: pod.Namespace, Name: name})
	}
	return fetched
}

func (m *Manager) getPatiently(ctx context.Context, patience *wait.Backoff, id nodeplan.ClaimID) nodeplan.Found {
	for {
		found := m.get(ctx, id)
		if !apierrors.IsForbidden(found.Err) || patience.Steps == 0 {
			return found
		}
		klog.FromContext(ctx).V(5).Info("Not allowed to get ResourceClaim, trying again", "claim", klog.KRef(id.Namespace, id.Name), "err", found.Err)
		if m.sleep(ctx, patience.Step()) != nil {
			return found
		}
	}
}

func (m *Manager) get(ctx context.Context, id nodeplan.ClaimID) nodeplan.Found {
	if m.config.Client == nil {
		return nodeplan.Found{Err: errors.New("the kubelet has no API server")}
	}
	claim, err := m.config.Client.ResourceV1().ResourceClaims(id.Namespace).Get(ctx, id.Name, metav1.GetOptions{})
	if err != nil {
		return nodeplan.Found{Err: err}
	}
	return nodeplan.Found{Claim: claim}
}

// settle executes all steps for a pod until it is done or has failed.
func (m *Manager) settle(ctx context.Context, op nodeplan.Op, pod types.UID, desired nodeplan.Desired) nodeplan.Outcome {
	patience := m.config.Clock.Now().Add(notFoundPatience)
	m.retry(pod)
	for {
		outcome := m.perform(ctx, op, pod, desired)
		switch {
		case ctx.Err() != nil:
			return outcome
		case errors.Is(outcome.Err, errAbandoned):
			// Another pod started the call and has stopped waiting.
			m.retry(pod)
		case !outcome.RetryAt.IsZero() && !outcome.RetryAt.After(patience):
			if err := m.sleep(ctx, outcome.RetryAt.Sub(m.config.Clock.Now())); err != nil {
				return nodeplan.Outcome{Phase: nodeplan.Failed, Err: op.Wrap(err)}
			}
		default:
			return outcome
		}
	}
}

func (m *Manager) retry(pod types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Retry(pod)
}

// rebuild restores a lost checkpoint once all pods of the node are known and the API server has
// returned their claims.
func (m *Manager) rebuild(ctx context.Context) error {
	m.rebuilding.Lock()
	defer m.rebuilding.Unlock()
	m.mu.Lock()
	lost, node := m.lost, m.node
	m.mu.Unlock()
	if lost == nil {
		return nil
	}
	if node == nil || !node.sources.AllReady() {
		return fmt.Errorf("%w; the pods of this node are not known yet", lost)
	}
	var pods []nodeplan.Pod
	patience := authorizerPatience()
	for _, pod := range node.activePods() {
		fetched := m.fetch(ctx, m.gated(pod), patience)
		if err := unavailable(fetched); err != nil {
			return fmt.Errorf("%w; fetch ResourceClaims of pod %s/%s: %w", lost, pod.Namespace, pod.Name, err)
		}
		pods = append(pods, fetched)
	}
	claims := nodeplan.Rebuild(pods)
	// There is no other writer while the checkpoint is lost.
	if err := m.checkpoint.write(claims, true); err != nil {
		return fmt.Errorf("checkpoint ResourceClaim state: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.load(claims)
	m.lost = nil
	klog.FromContext(ctx).Info("Rebuilt ResourceClaim state", "pods", len(pods), "claims", len(claims))
	return nil
}
