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
	"github.com/dra-conformance/dratest/implementation/classicplan"
)

// waiting begins what is said of a pod that drivers are to act for.
const waiting = "waiting for resource drivers: "

const (
	// askedAtOnce is how many questions are written at once: the loop that tries pods writes,
	// too, and is not to wait behind those of hundreds of pods.
	askedAtOnce = 16
	// askTime bounds a write, and what is read after it.
	askTime = time.Minute
	// firstDelay and lastDelay are how long after one that failed a question is thought about
	// again; from tellDelay on, what somebody else has changed each time is told as a failure.
	firstDelay = 50 * time.Millisecond
	tellDelay  = time.Second
	lastDelay  = 30 * time.Second
)

// question is one that is being written. Pods are tried one after the other: none waits
// until the API server has another's question.
type question struct {
	spec v1alpha1.PodSchedulingSpec
	// since is how often classes had changed when the attempt began that asks.
	since int
	// again says that the pod was tried meanwhile, which had to wait for this.
	again bool
	// failed is why it could not be written. The pod is tried again after a while.
	failed error
}

// ask writes a question to drivers in the background. Until that has ended the pod is not
// tried; then it is, unless drivers are to act.
func (c *cluster) ask(pod *v1.Pod, old *v1alpha1.PodScheduling, move classicplan.Ask, since int) {
	c.remember(pod, func(t *talk) {
		t.asking = &question{spec: move.Spec, since: since}
		q := t.asking
		c.background(func(ctx context.Context) { c.writeQuestion(ctx, pod, old, move, q) })
	})
}

func (c *cluster) writeQuestion(ctx context.Context, pod *v1.Pod, old *v1alpha1.PodScheduling, move classicplan.Ask, q *question) {
	c.slots <- struct{}{}
	if c.asking(pod) != q { // The pod is gone.
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
		if failed == nil && delay >= tellDelay {
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

// delay is how long after a failure a pod is tried again: longer with each.
func (c *cluster) delay(pod types.UID) time.Duration {
	c.delays.Next(string(pod), c.delays.Clock.Now())
	return c.delays.Get(string(pod))
}

// await has the failure to write a question told by an attempt, if there is one, and waits until
// the question may be thought about again.
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

// turnedAway says why a pod is not to be tried now: a question of it is being written. It is
// tried after that.
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

// asking is the question of a pod that is being written, nil for none.
func (c *cluster) asking(pod *v1.Pod) *question {
	c.mu.Lock()
	defer c.mu.Unlock()
	if talk := c.talks[pod.UID]; talk != nil {
		return talk.asking
	}
	return nil
}

// toCheck are the nodes that drivers are asked about for a pod, or are about to be.
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

// asked is the PodScheduling of a pod, nil if there is none, with another question.
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

// write creates or updates the PodScheduling of a pod, nil if there is none.
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

// read asks the API server for the PodScheduling of a pod, nil if there is none. One of
// another pod, which had the name before, is deleted.
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

// remove deletes a PodScheduling, if it is still there.
func (c *cluster) remove(ctx context.Context, scheduling *v1alpha1.PodScheduling) error {
	err := c.classic.PodSchedulings(scheduling.Namespace).Delete(ctx, scheduling.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &scheduling.UID}})
	if err != nil && !outdated(err) {
		return fmt.Errorf("delete PodScheduling %s: %w", klog.KObj(scheduling), err)
	}
	return nil
}

// outdated says that an object is not as it was thought to be.
func outdated(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err)
}
