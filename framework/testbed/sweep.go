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

package testbed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/harness/release"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ErrLeft: namespaces of cases are still in the cluster, because a broken driver does not release their content.
var ErrLeft = errors.New("namespaces do not go away")

// sweepTime bounds the deletion of namespaces, sweepInterval is its polling interval.
const (
	sweepTime     = time.Minute
	sweepInterval = 250 * time.Millisecond
)

// sweep deletes dratest's labelled namespaces, except the agents' own, and cluster-scoped objects of cases, and waits
// until no pod and no claim is left in the namespaces. It returns those still terminating, for awaitGone. Cases clean
// up themselves; this is for killed processes.
func sweep(ctx context.Context, client kubernetes.Interface) (going sets.Set[types.UID], err error) {
	if err := sweepObstacles(ctx, client, labelled()); err != nil {
		return nil, err
	}
	var left []string
	var kept error
	err = wait.PollUntilContextTimeout(ctx, sweepInterval, sweepTime, true, func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().Namespaces().List(ctx, labelled())
		if err != nil {
			return false, fmt.Errorf("list namespaces: %w", err)
		}
		namespaces := slices.DeleteFunc(list.Items, func(n corev1.Namespace) bool { return n.Name == deploy.Namespace })
		// The leftovers at the last complete poll are reported, even if time is up in between.
		var seen []string
		going, kept = sets.New[types.UID](), nil
		for _, n := range namespaces {
			going.Insert(n.UID)
			if n.DeletionTimestamp == nil {
				if err := client.CoreV1().Namespaces().Delete(ctx, n.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
					return false, fmt.Errorf("delete namespace %s: %w", n.Name, err)
				}
				seen = append(seen, n.Name)
				continue
			}
			done, err := vacant(ctx, client, n.Name)
			if err != nil {
				return false, err
			}
			if !done {
				seen = append(seen, n.Name)
				// A failed case leaves its finalizers. A failed update is retried at the next poll.
				kept = errors.Join(kept, release.Pods(ctx, client, n.Name), release.Claims(ctx, client, n.Name))
			}
		}
		left = seen
		return len(left) == 0, nil
	})
	if err != nil {
		err = errors.Join(err, kept)
	}
	return going, errors.Join(leftBehind(left, err), sweepRest(ctx, client, labelled()))
}

// Tidy removes leftovers of cases, as of failed ones keeping their objects, without waiting until they are gone:
// unique names avoid conflicts. It works even after ctx has ended, and takes a minute at most.
func Tidy(ctx context.Context, client kubernetes.Interface) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sweepTime)
	defer cancel()
	mine := func(o runtime.Object) bool {
		n, ok := o.(*corev1.Namespace)
		return ok && n.Name != deploy.Namespace && n.DeletionTimestamp == nil
	}
	return errors.Join(
		sweepObstacles(ctx, client, labelled()),
		sweepKind(ctx, "namespaces", client.CoreV1().Namespaces(), labelled(), mine),
		sweepRest(ctx, client, labelled()),
	)
}

// Vacate is Tidy with a wait until no pod and no claim of cases is left: their end makes the scheduler retry pods
// waiting for something else. Errors: ErrLeft.
func Vacate(ctx context.Context, client kubernetes.Interface) error {
	_, err := sweep(ctx, client)
	return err
}

// Settle is Tidy with a wait until everything is gone: otherwise cases comparing numbers of the whole cluster would
// see changes. Errors: ErrLeft.
func Settle(ctx context.Context, client kubernetes.Interface) error {
	going, err := sweep(ctx, client)
	if err != nil {
		return err
	}
	return awaitGone(ctx, client, going)
}

// awaitGone waits until namespaces deleted by sweep are gone, which takes Kubernetes 5 s even if empty. By then the
// cluster may be another run's, with namespaces to leave alone.
func awaitGone(ctx context.Context, client kubernetes.Interface, going sets.Set[types.UID]) error {
	var left []string
	err := wait.PollUntilContextTimeout(ctx, sweepInterval, sweepTime, true, func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().Namespaces().List(ctx, labelled())
		if err != nil {
			return false, fmt.Errorf("list namespaces: %w", err)
		}
		left = left[:0]
		for _, n := range list.Items {
			if going.Has(n.UID) {
				left = append(left, n.Name)
			}
		}
		return len(left) == 0, nil
	})
	return leftBehind(left, err)
}

func labelled() metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: spec.LabelManagedBy + "=" + spec.ManagedBy}
}

// leftBehind returns the namespaces left after a failed wait.
func leftBehind(namespaces []string, err error) error {
	if err != nil && len(namespaces) > 0 {
		return fmt.Errorf("%w, look at their pods and claims: %s (%w)", ErrLeft, strings.Join(namespaces, ", "), err)
	}
	return err
}

// vacant reports whether nothing in a namespace needs drivers any more.
func vacant(ctx context.Context, client kubernetes.Interface, namespace string) (bool, error) {
	pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return false, fmt.Errorf("list pods: %w", err)
	}
	claims, err := client.ResourceV1().ResourceClaims(namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return false, fmt.Errorf("list claims: %w", err)
	}
	return len(pods.Items)+len(claims.Items) == 0, nil
}
