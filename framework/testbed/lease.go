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
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

// ErrReserved: another run uses the cluster.
var ErrReserved = errors.New("another run is going on")

const (
	leaseName = "dratest-run"
	// leaseTime is how long a killed run blocks others.
	leaseTime = 60 * time.Second
	// leaseRenewal leaves room for failed renewals.
	leaseRenewal = 15 * time.Second
)

// reserve keeps other runs from a shared cluster: a run ending would remove the agents of another. It is a Lease in
// the agents' namespace, created if missing. Leader election would wait for its turn; a run reports the holder and
// ends. Errors: ErrReserved.
func reserve(ctx context.Context, client kubernetes.Interface, namespace string) (release func(context.Context) error, err error) {
	host, _ := os.Hostname()
	lock := leaseOf(client, namespace, fmt.Sprintf("process %d on %s (%s)", os.Getpid(), host, rand.String(5)))
	var removed error
	err = wait.PollUntilContextTimeout(ctx, time.Second, CleanupTime, true, func(ctx context.Context) (bool, error) {
		err := acquire(ctx, client, lock)
		// A run that has just ended may still be deleting the namespace.
		if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) || apierrors.IsConflict(err) {
			removed = err
			return false, nil
		}
		return err == nil, err
	})
	if err != nil && removed != nil && wait.Interrupted(err) {
		err = fmt.Errorf("%w: %w", err, removed)
	}
	if err != nil {
		return nil, fmt.Errorf("reserve the cluster: %w", err)
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { wait.UntilWithContext(renewing, func(ctx context.Context) { renew(ctx, lock) }, leaseRenewal) })
	return func(ctx context.Context) error {
		stop()
		wg.Wait()
		if err := giveBack(ctx, client, lock); err != nil {
			return fmt.Errorf("release the cluster: %w", err)
		}
		return nil
	}, nil
}

func leaseOf(client kubernetes.Interface, namespace, identity string) *resourcelock.LeaseLock {
	return &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: leaseName},
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		Labels:     managed(),
	}
}

func managed() map[string]string { return map[string]string{spec.LabelManagedBy: spec.ManagedBy} }

func acquire(ctx context.Context, client kubernetes.Interface, lock *resourcelock.LeaseLock) error {
	namespace := spec.Namespace(metav1.ObjectMeta{Name: lock.LeaseMeta.Namespace})
	_, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	now := metav1.Now()
	mine := resourcelock.LeaderElectionRecord{
		HolderIdentity: lock.Identity(), AcquireTime: now, RenewTime: now, LeaseDurationSeconds: int(leaseTime.Seconds()),
	}
	if err := lock.Create(ctx, mine); !apierrors.IsAlreadyExists(err) {
		return err
	}
	there, _, err := lock.Get(ctx)
	if err != nil {
		return err
	}
	if since := now.Sub(there.RenewTime.Time); since < leaseTime {
		return fmt.Errorf("%w on this cluster, by %s: wait for it; if it was killed, try again in %s",
			ErrReserved, there.HolderIdentity, (leaseTime - since).Round(time.Second))
	}
	mine.LeaderTransitions = there.LeaderTransitions + 1
	return lock.Update(ctx, mine) // refused if somebody else was faster
}

// renew renews a lease still held: a process suspended for longer than leaseTime may have lost it, as reported by
// giveBack. A failed renewal is retried at the next tick; a missing cluster is detected elsewhere.
func renew(ctx context.Context, lock *resourcelock.LeaseLock) {
	there, _, err := lock.Get(ctx)
	if err != nil || there.HolderIdentity != lock.Identity() {
		return
	}
	there.RenewTime = metav1.Now()
	_ = lock.Update(ctx, *there)
}

// giveBack removes a lease still held.
func giveBack(ctx context.Context, client kubernetes.Interface, lock *resourcelock.LeaseLock) error {
	leases := client.CoordinationV1().Leases(lock.LeaseMeta.Namespace)
	there, err := leases.Get(ctx, leaseName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if holder := ptr.Deref(there.Spec.HolderIdentity, ""); holder != lock.Identity() {
		return fmt.Errorf("it was taken over by %s, because this run had not renewed its lease for %s", holder, leaseTime)
	}
	err = leases.Delete(ctx, leaseName, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &there.UID, ResourceVersion: &there.ResourceVersion}})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
