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

package scheduler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// errUnsettled means it is still unknown whether an allocation was written.
var errUnsettled = errors.New("not known whether it was written")

// definite reports whether an error proves that nothing was written: the API server refused, or was
// not called. A conflict may come from an earlier retry inside the client.
func definite(err error) bool {
	var before overtakenError
	if errors.As(err, &before) {
		return true
	}
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return false // connection lost or timeout
	}
	return !apierrors.IsTimeout(err) && !apierrors.IsServerTimeout(err) && !apierrors.IsInternalError(err) &&
		!apierrors.IsServiceUnavailable(err) && !apierrors.IsUnexpectedServerError(err) && !apierrors.IsConflict(err)
}

const (
	// settleTime limits a pod's wait for the fate of a claim's write. While the API server is down,
	// nothing else can be done for the pod.
	settleTime = 2 * time.Minute
	// settlePoll and settlePollMax bound the retry interval.
	settlePoll    = 100 * time.Millisecond
	settlePollMax = 5 * time.Second
)

// settle finds out whether an allocation was written after its response was lost. Until then no other
// claim may get the devices.
func (w *claimWrite) settle(ctx context.Context, cause error) (*resourceapi.ResourceClaim, error) {
	var latest *resourceapi.ResourceClaim
	backoff := wait.Backoff{Duration: settlePoll, Factor: 2, Jitter: 0.1, Steps: 100, Cap: settlePollMax}
	limited, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	err := wait.ExponentialBackoffWithContext(limited, backoff, func(ctx context.Context) (bool, error) {
		var err error
		latest, err = w.fate(ctx)
		if err != nil {
			klog.FromContext(ctx).V(4).Info("Cannot tell whether claim was allocated", "resourceclaim", klog.KObj(w.claim), "err", err)
		}
		return err == nil, nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errUnsettled, cause)
	case latest == nil:
		return nil, cause
	default:
		return latest, nil
	}
}

// fate returns the claim if the allocation was written, and nil if it never will be. A claim without
// allocation is not enough: the request may still be in transit. It cannot succeed once the claim has
// a newer version, so fate creates one by removing the finalizer, useless without an allocation. An
// error means the fate is unknown.
func (w *claimWrite) fate(ctx context.Context) (*resourceapi.ResourceClaim, error) {
	latest, err := w.get(ctx)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	case latest.UID != w.claim.UID:
		return nil, nil
	case w.done(latest):
		return latest, nil
	case latest.ResourceVersion != w.claim.ResourceVersion:
		return nil, nil
	}
	latest.Finalizers = slices.DeleteFunc(latest.Finalizers, func(name string) bool { return name == resourceapi.Finalizer })
	_, err = w.plugin.client.ResourceV1().ResourceClaims(latest.Namespace).Update(ctx, latest, metav1.UpdateOptions{})
	return nil, err
}

// leftover is a claim's pending allocation that outlived its attempt.
type leftover struct {
	write *claimWrite
	claim *claimAttempt
}

// leave moves the pending allocation of a claim from the attempt to settleLeftovers. Unreserve does
// not end it.
func (pl *Plugin) leave(w *claimWrite, c *claimAttempt) {
	pending := *c
	c.reserved, c.signaled = nil, false
	pl.leftovers.Add(leftover{write: w, claim: &pending})
}

func newLeftovers() workqueue.TypedRateLimitingInterface[leftover] {
	return workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[leftover](settlePoll, settlePollMax))
}

// settleLeftovers settles pending allocations until ctx ends.
func (pl *Plugin) settleLeftovers(ctx context.Context) {
	stop := context.AfterFunc(ctx, pl.leftovers.ShutDown)
	defer stop()
	for {
		l, shutdown := pl.leftovers.Get()
		if shutdown {
			return
		}
		latest, err := l.write.fate(ctx)
		if err != nil {
			pl.leftovers.AddRateLimited(l)
		} else {
			pl.leftovers.Forget(l)
			pl.settle(ctx, l, latest)
		}
		pl.leftovers.Done(l)
	}
}

// settle ends a pending allocation; latest is the claim if it was allocated.
func (pl *Plugin) settle(ctx context.Context, l leftover, latest *resourceapi.ResourceClaim) {
	klog.FromContext(ctx).V(2).Info("Found out whether claim was allocated", "resourceclaim", klog.KObj(l.write.claim), "allocated", latest != nil)
	if latest != nil {
		pl.wrote(l.claim, latest)
	}
	pl.release(ctx, l.write.pod, l.claim)
	if latest == nil {
		pl.retryAll(ctx)
	}
}

// retryAll retries all pods waiting for devices. No event announces free devices of a leftover.
func (pl *Plugin) retryAll(ctx context.Context) {
	logger := klog.FromContext(ctx)
	pods, err := pl.handle.SharedInformerFactory().Core().V1().Pods().Lister().List(labels.Everything())
	if err != nil {
		logger.Error(err, "List pods")
		return
	}
	waiting := make(map[string]*v1.Pod)
	for _, pod := range pods {
		if pod.Spec.NodeName == "" && (len(pod.Spec.ResourceClaims) > 0 || asksForExtendedResources(pod)) {
			waiting[pod.Namespace+"/"+pod.Name] = pod
		}
	}
	pl.activate(ctx, waiting)
}
