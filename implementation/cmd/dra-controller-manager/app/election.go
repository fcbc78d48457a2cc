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

package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

// leaseTolerance is the time after the lease's end for a leader to notice its loss. Later it counts as
// dead.
const leaseTolerance = 20 * time.Second

// errLost means another process became the leader.
var errLost = errors.New("leadership was lost")

// election decides when this process works.
type election struct {
	// lock is nil without an election.
	lock   resourcelock.Interface
	config *config
	health *leaderelection.HealthzAdaptor
}

func newElection(ctx context.Context, c *config) (*election, error) {
	e := &election{config: c}
	settings := c.generic.LeaderElection
	if !settings.LeaderElect {
		return e, nil
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("find out this host's name: %w", err)
	}
	// Two processes on one host are two candidates.
	id := host + "_" + string(uuid.NewUUID())
	e.lock, err = resourcelock.NewFromKubeconfig(settings.ResourceLock, settings.ResourceNamespace, settings.ResourceName,
		resourcelock.ResourceLockConfig{Identity: id}, c.kubeconfig, settings.RenewDeadline.Duration)
	if err != nil {
		return nil, fmt.Errorf("set up leader election: %w", err)
	}
	e.health = leaderelection.NewLeaderHealthzAdaptor(leaseTolerance)
	klog.FromContext(ctx).V(2).Info("Taking part in leader election", "lock", e.lock.Describe(), "identity", id)
	return e, nil
}

// checks are the health checks of the election.
func (e *election) checks() []healthz.HealthChecker {
	if e.health == nil {
		return nil
	}
	return []healthz.HealthChecker{e.health}
}

// run calls work once this process is the leader, and releases the lease after work has returned: the
// next leader must not start before.
func (e *election) run(ctx context.Context, work func(context.Context) error) error {
	if e.lock == nil {
		return work(ctx)
	}
	lease, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	result := make(chan error, 1)
	settings := e.config.generic.LeaderElection
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Name:            settings.ResourceName,
		Lock:            e.lock,
		LeaseDuration:   settings.LeaseDuration.Duration,
		RenewDeadline:   settings.RenewDeadline.Duration,
		RetryPeriod:     settings.RetryPeriod.Duration,
		WatchDog:        e.health,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				defer release()
				working, stop := context.WithCancel(leading)
				defer stop()
				defer context.AfterFunc(ctx, stop)()
				result <- work(working)
			},
			OnStoppedLeading: func() { klog.FromContext(ctx).Info("Not leading any more") },
		},
	})
	if err != nil {
		return fmt.Errorf("set up leader election: %w", err)
	}
	e.health.SetLeaderElection(elector)
	// A waiting candidate has nothing to finish.
	defer context.AfterFunc(ctx, func() {
		if !elector.IsLeader() {
			release()
		}
	})()
	elector.Run(lease)
	if ctx.Err() == nil {
		if err := <-result; err != nil {
			return err
		}
		return errLost
	}
	select {
	case err := <-result:
		return err
	default:
		return nil
	}
}
