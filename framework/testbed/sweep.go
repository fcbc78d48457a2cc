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
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ErrLeft: namespaces of cases are still in the cluster, as a broken driver does not let go
// of what is in them.
var ErrLeft = errors.New("namespaces do not go away")

// sweepTime bounds how long namespaces may take to go away.
const sweepTime = time.Minute

// sweep removes the namespaces, but for the agents' own, and the objects without a namespace of cases that are
// labelled as dratest's, and waits until no pod and no claim is left in the namespaces, whose end awaitGone
// waits for. Cases clean up themselves; this is for those whose process was killed.
func sweep(ctx context.Context, client kubernetes.Interface) error {
	if err := sweepObstacles(ctx, client, labelled()); err != nil {
		return err
	}
	return errors.Join(awaitNamespaces(ctx, client, vacant), sweepRest(ctx, client, labelled()))
}

// awaitGone waits until the namespaces that sweep has removed are gone, which Kubernetes takes
// 5 s for even where they are empty.
func awaitGone(ctx context.Context, client kubernetes.Interface) error {
	return awaitNamespaces(ctx, client, func(context.Context, kubernetes.Interface, string) (bool, error) { return false, nil })
}

func labelled() metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: spec.LabelManagedBy + "=" + spec.ManagedBy}
}

// awaitNamespaces deletes all our namespaces but the agents' own, and waits until each is gone
// or, which is asked once it is going, done with.
func awaitNamespaces(ctx context.Context, client kubernetes.Interface, done func(ctx context.Context, client kubernetes.Interface, namespace string) (bool, error)) error {
	var left []string
	err := wait.PollUntilContextTimeout(ctx, 250*time.Millisecond, sweepTime, true, func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().Namespaces().List(ctx, labelled())
		if err != nil {
			return false, fmt.Errorf("list namespaces: %w", err)
		}
		namespaces := slices.DeleteFunc(list.Items, func(n corev1.Namespace) bool { return n.Name == deploy.Namespace })
		left = left[:0]
		for _, n := range namespaces {
			if n.DeletionTimestamp != nil {
				ok, err := done(ctx, client, n.Name)
				if err != nil {
					return false, err
				}
				if ok {
					continue
				}
			} else if err := client.CoreV1().Namespaces().Delete(ctx, n.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
				return false, fmt.Errorf("delete namespace %s: %w", n.Name, err)
			}
			left = append(left, n.Name)
		}
		return len(left) == 0, nil
	})
	if err != nil && len(left) > 0 {
		err = fmt.Errorf("%w, look at their pods and claims: %s (%w)", ErrLeft, strings.Join(left, ", "), err)
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
