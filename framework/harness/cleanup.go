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

package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/harness/release"
)

// errPodsStay is the error for stuck pods, whose driver is left running.
var errPodsStay = errors.New("pods do not terminate, so their driver is left running")

// cleanUp removes the objects of the case: pods first, because the kubelet needs the driver to
// unprepare, then the rest. If something is stuck, the case fails, and evidence is gathered before
// the rest is removed.
func (t *T) cleanUp(ctx context.Context) {
	if t.Namespace == "" {
		return
	}
	defer func() {
		if t.done != nil {
			t.done()
		}
	}()
	if t.env.Keep && ginkgo.CurrentSpecReport().Failed() {
		t.collectTimeline(ctx)
		if err := t.runCleanup(ctx, true); err != nil {
			t.Note("programs of the case were not stopped: %v", err)
		}
		return
	}
	t.Step("clean up")
	stuck := t.remove(ctx)
	if stuck != nil {
		t.GatherEvidence(ctx)
	}
	t.collectTimeline(ctx)
	if err := errors.Join(stuck, t.finish(ctx, errors.Is(stuck, errPodsStay))); err != nil {
		t.GatherEvidence(ctx)
		// A finished case ignores t.Fatalf.
		ginkgo.Fail(fmt.Sprintf("clean up: %v", err))
	}
}

// remove ends faults and removes the case's objects.
func (t *T) remove(ctx context.Context) error {
	return errors.Join(t.runRestore(ctx), t.removeObjects(ctx))
}

// collectTimeline reads driver calls before the drivers stop.
func (t *T) collectTimeline(ctx context.Context) {
	if t.collect != nil {
		t.collect(ctx)
	}
}

// finish removes everything else, even if the time for waiting is used up. The run removes programs
// needed by stuck pods.
func (t *T) finish(ctx context.Context, podsStay bool) error {
	limit := scaled(FinishTimeout, t.scale)
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), limit, fmt.Errorf("not done after %s", limit))
	defer cancel()
	err := t.runCleanup(ctx, podsStay)
	if t.env.NamespacesStay {
		return err
	}
	return errors.Join(err, await.Insist(ctx, "delete namespace "+t.Namespace, func(ctx context.Context) error {
		return t.Client.CoreV1().Namespaces().Delete(ctx, t.Namespace, metav1.DeleteOptions{})
	}))
}

// removeObjects waits until pods and claims are gone. It releases only what the case itself keeps
// them with.
func (t *T) removeObjects(ctx context.Context) error {
	limit := scaled(cmp.Or(t.env.RemoveTimeout, RemoveTimeout), t.scale)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not after %s", limit))
	defer cancel()
	pods, claims := t.Client.CoreV1().Pods(t.Namespace), t.Client.ResourceV1().ResourceClaims(t.Namespace)
	soon := metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](1)}
	letPods := func(ctx context.Context) error { return release.Pods(ctx, t.Client, t.Namespace) }
	letClaims := func(ctx context.Context) error { return release.Claims(ctx, t.Client, t.Namespace) }
	// Nodes of the case first, because no kubelet ends their pods.
	errs := []error{t.removeNodes(ctx), await.Insist(ctx, "release pods", letPods), await.Insist(ctx, "delete pods", func(ctx context.Context) error {
		return pods.DeleteCollection(ctx, soon, metav1.ListOptions{})
	})}
	stuck := awaitNone(ctx, "pods", await.NewSource(t.Client, &corev1.Pod{}, pods, ""), describe.Pod)
	if stuck != nil {
		stuck = fmt.Errorf("%w: %w", errPodsStay, stuck)
		// Delete the rest without waiting.
		rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), FinishTimeout)
		defer cancel()
		ctx = rest
	}
	errs = append(errs, t.removeTracked(ctx, func(o Object) bool { return !isRight(o) }))
	errs = append(errs, await.Insist(ctx, "release claims", letClaims), await.Insist(ctx, "delete claims", func(ctx context.Context) error {
		return claims.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
	}))
	if stuck == nil { // else its claims are, too
		stuck = errors.Join(
			awaitNone(ctx, "claims", await.NewSource(t.Client, &resourceapi.ResourceClaim{}, claims, ""), describe.Claim),
			t.runRemoved(ctx))
	}
	// Accounts may need their rights until claims are gone.
	rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), FinishTimeout)
	defer cancel()
	return errors.Join(append(errs, stuck, t.removeTracked(rest, isRight))...)
}

// removeTracked deletes the wanted objects of the case except pods and nodes.
func (t *T) removeTracked(ctx context.Context, wanted func(Object) bool) error {
	var errs []error
	for _, o := range slices.Backward(t.tracked()) {
		switch o.(type) {
		case *corev1.Pod, *corev1.Node:
			continue
		}
		if wanted(o) {
			errs = append(errs, await.Insist(ctx, "delete "+describe.Object(o), func(ctx context.Context) error { return t.objects.Delete(ctx, o) }))
		}
	}
	return errors.Join(errs...)
}

func isRight(o Object) bool {
	switch o.(type) {
	case *rbacv1.ClusterRole, *rbacv1.ClusterRoleBinding:
		return true
	}
	return false
}

// awaitNone waits until a source is empty. The error lists the rest.
func awaitNone[O Object](ctx context.Context, what string, from await.Source, text func(O) string) error {
	var left []string
	err := await.All(ctx, from, func(all []O) bool {
		left = nil
		for _, o := range all {
			left = append(left, o.GetName()+": "+text(o))
		}
		slices.Sort(left)
		return len(left) == 0
	})
	switch {
	case err != nil && len(left) == 0: // not even seen
		return fmt.Errorf("remove %s: %w", what, err)
	case err != nil:
		return fmt.Errorf("remove %s: %w; left: %s", what, err, strings.Join(left, ", "))
	}
	return nil
}
