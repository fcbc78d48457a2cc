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

package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// ErrLeaseLost means another process may lead.
var ErrLeaseLost = errors.New("the lease was lost")

// Lease names the Lease for the leader election of a driver's controllers, and this process by a
// unique identity.
type Lease struct{ Namespace, Name, Identity string }

// The lease duration, renew deadline and retry period.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
)

// Lead waits until this process leads, calls work, and releases the lease only after work has
// returned. Work's context ends with ctx, or when the lease is lost. Lead returns ErrLeaseLost or
// the error of an unusable Lease; after either, the process should exit. It needs get, create and
// update on leases.
func Lead(ctx context.Context, client kubernetes.Interface, lease Lease, work func(context.Context)) error {
	held, release := context.WithCancel(context.WithoutCancel(ctx))
	led, over := make(chan context.Context, 1), make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: lease.Namespace, Name: lease.Name},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: lease.Identity},
		},
		LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) { led <- leading },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		release()
		return fmt.Errorf("compete for lease %s/%s: %w", lease.Namespace, lease.Name, err)
	}
	go func() {
		defer close(over)
		elector.Run(held)
	}()
	defer func() {
		release()
		<-over
	}()
	select {
	case <-ctx.Done():
		return nil
	case leading := <-led:
		working, stop := context.WithCancel(leading)
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		work(working)
		if leading.Err() != nil {
			return ErrLeaseLost
		}
		return nil
	}
}
