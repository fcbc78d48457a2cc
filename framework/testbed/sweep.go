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

// ErrLeft: namespaces of cases are still in the cluster, as a broken driver does not let go
// of what is in them.
var ErrLeft = errors.New("namespaces do not go away")

// sweepTime bounds how long namespaces may take to go away, sweepInterval is how often they
// are looked at.
const (
	sweepTime     = time.Minute
	sweepInterval = 250 * time.Millisecond
)

// sweep removes the namespaces, but for the agents' own, and the objects without a namespace of cases that are
// labelled as dratest's, and waits until no pod and no claim is left in the namespaces. It returns those that
// are still going then, for awaitGone. Cases clean up themselves; this is for those whose process was killed.
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
		// What was left when all were looked at last is told, also if time is over in between.
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
				// A case that fails leaves what it had kept from going. What cannot be changed now may be at the next look.
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

// Tidy removes what cases have left, as those do that fail and are to keep it, and does not
// wait until it is gone: names are unique, so that it is in nobody's way. It does so also
// when ctx is over, and takes a minute at most.
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

// Vacate is Tidy that waits until no pod and no claim of cases is left: their end has the
// scheduler try pods again that wait for something else. Errors: ErrLeft.
func Vacate(ctx context.Context, client kubernetes.Interface) error {
	_, err := sweep(ctx, client)
	return err
}

// Settle is Tidy that waits until all is gone: a case that looks at numbers of the whole cluster
// would see them change. Errors: ErrLeft.
func Settle(ctx context.Context, client kubernetes.Interface) error {
	going, err := sweep(ctx, client)
	if err != nil {
		return err
	}
	return awaitGone(ctx, client, going)
}

// awaitGone waits until namespaces that sweep has removed are gone, which takes Kubernetes 5 s
// even where they are empty. By then the cluster may be another run's, whose namespaces are
// left alone.
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

// leftBehind says which namespaces did not go where a wait for them has failed.
func leftBehind(namespaces []string, err error) error {
	if err != nil && len(namespaces) > 0 {
		return fmt.Errorf("%w, look at their pods and claims: %s (%w)", ErrLeft, strings.Join(namespaces, ", "), err)
	}
	return err
}

// vacant says whether nothing is left in a namespace that needs drivers to go.
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
