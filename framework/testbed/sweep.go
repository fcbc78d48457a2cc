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
// labelled as dratest's, and waits until the namespaces are gone. Cases clean up themselves;
// this is for those whose process was killed, and for namespaces that take time.
func sweep(ctx context.Context, client kubernetes.Interface) error {
	ours := metav1.ListOptions{LabelSelector: spec.LabelManagedBy + "=" + spec.ManagedBy}
	if err := sweepObstacles(ctx, client, ours); err != nil {
		return err
	}
	var left []string
	err := wait.PollUntilContextTimeout(ctx, 250*time.Millisecond, sweepTime, true, func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().Namespaces().List(ctx, ours)
		if err != nil {
			return false, fmt.Errorf("list namespaces: %w", err)
		}
		namespaces := slices.DeleteFunc(list.Items, func(n corev1.Namespace) bool { return n.Name == deploy.Namespace })
		left = left[:0]
		for _, n := range namespaces {
			left = append(left, n.Name)
			if n.DeletionTimestamp != nil {
				continue
			}
			if err := client.CoreV1().Namespaces().Delete(ctx, n.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
				return false, fmt.Errorf("delete namespace %s: %w", n.Name, err)
			}
		}
		return len(left) == 0, nil
	})
	if err != nil && len(left) > 0 {
		err = fmt.Errorf("%w, look at their pods and claims: %s (%w)", ErrLeft, strings.Join(left, ", "), err)
	}
	return errors.Join(err, sweepRest(ctx, client, ours))
}
