package runner

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	leaseName = "dratest-run"
	// leaseTime is how long a run that was killed keeps others away.
	leaseTime = 60 * time.Second
	// leaseRenewal leaves room for renewals that fail.
	leaseRenewal = 15 * time.Second
)

// hold keeps other runs from a cluster that is not ours alone: one that ends
// would take the agents away from one that is going on. It is a Lease in the
// agents' namespace, which is made if it is missing. Errors: ErrRunning.
func hold(ctx context.Context, client kubernetes.Interface, namespace string) (release func(context.Context) error, err error) {
	host, _ := os.Hostname()
	identity := fmt.Sprintf("process %d on %s", os.Getpid(), host)
	err = wait.PollUntilContextTimeout(ctx, time.Second, cleanupTime, true, func(ctx context.Context) (bool, error) {
		err := acquire(ctx, client, namespace, identity)
		// A run that has just ended may still be removing the namespace.
		if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) || apierrors.IsConflict(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("reserve the cluster: %w", err)
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { renew(renewing, client, namespace) })
	return func(ctx context.Context) error {
		stop()
		wg.Wait()
		err := client.CoordinationV1().Leases(namespace).Delete(ctx, leaseName, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("release the cluster: %w", err)
		}
		return nil
	}, nil
}

func acquire(ctx context.Context, client kubernetes.Interface, namespace, identity string) error {
	labels := map[string]string{spec.LabelManagedBy: spec.ManagedBy}
	_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: labels}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	leases := client.CoordinationV1().Leases(namespace)
	now := metav1.NowMicro()
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: leaseName, Labels: labels},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &identity, AcquireTime: &now, RenewTime: &now, LeaseDurationSeconds: ptr.To(int32(leaseTime.Seconds())),
		},
	}
	_, err = leases.Create(ctx, lease, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	there, err := leases.Get(ctx, leaseName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if renewed := there.Spec.RenewTime; renewed != nil && now.Sub(renewed.Time) < leaseTime {
		return fmt.Errorf("%w on this cluster, by %s: wait for it; if it was killed, try again in %s",
			ErrRunning, ptr.Deref(there.Spec.HolderIdentity, "someone"), (leaseTime - now.Sub(renewed.Time)).Round(time.Second))
	}
	there.Spec = lease.Spec
	_, err = leases.Update(ctx, there, metav1.UpdateOptions{})
	return err
}

// renew keeps the lease until ctx ends. A renewal that fails is tried again at
// the next tick; that the cluster is gone is for others to find.
func renew(ctx context.Context, client kubernetes.Interface, namespace string) {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		leases := client.CoordinationV1().Leases(namespace)
		lease, err := leases.Get(ctx, leaseName, metav1.GetOptions{})
		if err != nil {
			return
		}
		now := metav1.NowMicro()
		lease.Spec.RenewTime = &now
		_, _ = leases.Update(ctx, lease, metav1.UpdateOptions{})
	}, leaseRenewal)
}
