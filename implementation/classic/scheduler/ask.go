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
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
)

// waiting is the prefix of messages for a pod waiting for drivers.
const waiting = "waiting for resource drivers: "

const (
	// askedAtOnce limits concurrent requests to drivers: the scheduling loop writes, too, and
	// should not wait behind those of hundreds of pods.
	askedAtOnce = 16
	// askTime bounds a write and the read after it.
	askTime = time.Minute
	// firstDelay and lastDelay bound the delay before planning a request again after a failure;
	// from reportDelay on, repeated conflicts are reported as a failure.
	firstDelay  = 50 * time.Millisecond
	reportDelay = time.Second
	lastDelay   = 30 * time.Second
)

// question is a request being written. The scheduling loop is sequential and must not wait for the
// API server.
type question struct {
	spec v1alpha1.PodSchedulingSpec
	// since is the class change counter at the start of the requesting attempt.
	since int
	// again is set if an attempt to schedule the pod had to wait for this meanwhile.
	again bool
	// failed is the write error. The pod is retried after a delay.
	failed error
}

// ask writes a request to drivers in the background. The pod is not tried until it is written; then
// it is, unless it is the drivers' turn.
func (c *cluster) ask(pod *v1.Pod, old *v1alpha1.PodScheduling, move classicplan.Ask, since int) {
	c.remember(pod, func(t *talk) {
		t.asking = &question{spec: move.Spec, since: since}
		q := t.asking
		c.background(func(ctx context.Context) { c.writeQuestion(ctx, pod, old, move, q) })
	})
}

func (c *cluster) writeQuestion(ctx context.Context, pod *v1.Pod, old *v1alpha1.PodScheduling, move classicplan.Ask, q *question) {
	c.slots <- struct{}{}
	if c.asking(pod) != q { // The pod was deleted.
		<-c.slots
		return
	}
	writing, cancel := context.WithTimeout(ctx, askTime)
	written, why := c.write(writing, pod, old, move.Spec)
	err, isOutdated := why, outdated(why)
	if isOutdated {
		written, err = c.read(writing, pod)
	}
	cancel()
	<-c.slots
	if why != nil {
		delay, failed := c.delay(pod.UID), err
		if failed == nil && delay >= reportDelay {
			failed = why
		}
		c.await(ctx, pod, q, delay, failed)
	} else {
		c.delays.DeleteEntry(string(pod.UID))
		klog.FromContext(ctx).V(4).Info("Asked resource drivers", "pod", klog.KObj(pod), "selected", move.Spec.SelectedNode, "potential", len(move.Spec.PotentialNodes))
	}
	again := why != nil
	c.remember(pod, func(t *talk) {
		if t.asking != q {
			return
		}
		t.asking, again = nil, again || q.again
		switch {
		case err != nil:
			return
		case isOutdated && written == nil && old != nil:
			t.gone = old.UID
		case !isOutdated:
			c.reject(t, q.since, move.Rejected, nil)
			t.beyond = false
		}
		t.latest = written
	})
	if again {
		c.try(pod)
		return
	}
	c.wake(pod.Namespace, pod.Name) // They may have answered already.
}

// delay is the delay before retrying a pod after a failure, growing with each.
func (c *cluster) delay(pod types.UID) time.Duration {
	c.delays.Next(string(pod), c.delays.Clock.Now())
	return c.delays.Get(string(pod))
}

// await lets an attempt report a failed write, if any, and waits until the request may be planned
// again.
func (c *cluster) await(ctx context.Context, pod *v1.Pod, q *question, delay time.Duration, failed error) {
	if failed != nil {
		klog.FromContext(ctx).Error(failed, "Resource drivers could not be asked", "pod", klog.KObj(pod), "again", delay)
		c.remember(pod, func(*talk) { q.failed = failed })
		c.try(pod)
	}
	select {
	case <-ctx.Done():
	case <-time.After(delay):
	}
}

// turnedAway returns why a pod must not be tried now: its request is being written. It is tried
// after that.
func (c *cluster) turnedAway(pod *v1.Pod) (why string) {
	c.remember(pod, func(t *talk) {
		switch {
		case t.asking == nil:
			return
		case t.asking.failed != nil:
			why = "resource drivers could not be asked: " + t.asking.failed.Error()
		default:
			why = "resource drivers are being asked"
		}
		t.asking.again = true
	})
	return why
}

func (c *cluster) asking(pod *v1.Pod) *question {
	c.mu.Lock()
	defer c.mu.Unlock()
	if talk := c.talks[pod.UID]; talk != nil {
		return talk.asking
	}
	return nil
}

// toCheck are the nodes drivers are, or will be, asked about for a pod.
func (c *cluster) toCheck(pod *v1.Pod) []string {
	scheduling := c.scheduling(pod)
	if q := c.asking(pod); q != nil {
		scheduling = asked(pod, scheduling, q.spec)
	}
	if scheduling == nil {
		return nil
	}
	return classicplan.ToCheck(scheduling)
}

// asked is the PodScheduling of a pod with a new request; old is nil if there is none.
func asked(pod *v1.Pod, old *v1alpha1.PodScheduling, spec v1alpha1.PodSchedulingSpec) *v1alpha1.PodScheduling {
	changed := old.DeepCopy()
	if old == nil {
		changed = &v1alpha1.PodScheduling{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(pod, v1.SchemeGroupVersion.WithKind("Pod")),
		}}}
	}
	changed.Spec = spec
	return changed
}

// write creates or updates the PodScheduling of a pod; old is nil if there is none.
func (c *cluster) write(ctx context.Context, pod *v1.Pod, old *v1alpha1.PodScheduling, spec v1alpha1.PodSchedulingSpec) (*v1alpha1.PodScheduling, error) {
	objects, changed := c.classic.PodSchedulings(pod.Namespace), asked(pod, old, spec)
	var written *v1alpha1.PodScheduling
	var err error
	if old == nil {
		written, err = objects.Create(ctx, changed, metav1.CreateOptions{})
	} else {
		written, err = objects.Update(ctx, changed, metav1.UpdateOptions{})
	}
	if err != nil {
		return nil, fmt.Errorf("write PodScheduling of pod %s: %w", klog.KObj(pod), err)
	}
	return written, nil
}

// read reads the PodScheduling of a pod from the API server, nil if there is none. It deletes one
// of an earlier pod of the same name.
func (c *cluster) read(ctx context.Context, pod *v1.Pod) (*v1alpha1.PodScheduling, error) {
	objects := c.classic.PodSchedulings(pod.Namespace)
	found, err := objects.Get(ctx, pod.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read PodScheduling of pod %s: %w", klog.KObj(pod), err)
	case ownedBy(found, pod.UID):
		return found, nil
	}
	return nil, c.remove(ctx, found)
}

// remove deletes a PodScheduling, ignoring NotFound.
func (c *cluster) remove(ctx context.Context, scheduling *v1alpha1.PodScheduling) error {
	err := c.classic.PodSchedulings(scheduling.Namespace).Delete(ctx, scheduling.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &scheduling.UID}})
	if err != nil && !outdated(err) {
		return fmt.Errorf("delete PodScheduling %s: %w", klog.KObj(scheduling), err)
	}
	return nil
}

// outdated reports whether an object is not in the expected version.
func outdated(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err)
}
