package scheduler

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classicplan"
)

// waiting begins what is said of a pod that drivers are to act for.
const waiting = "waiting for resource drivers: "

// question is one that is being written. Pods are tried one after the other: none waits
// until the API server has another's question.
type question struct {
	selected string
	// again says that the pod was tried meanwhile, which had to wait for this.
	again bool
}

// ask writes a question to drivers in the background. Until that has ended the pod is not
// tried; then it is, unless drivers are to act.
func (c *cluster) ask(ctx context.Context, pod *v1.Pod, old *v1alpha1.PodScheduling, move classicplan.Ask) {
	c.remember(pod, func(t *talk) {
		t.asking = &question{selected: move.Spec.SelectedNode}
		ctx := context.WithoutCancel(ctx) // That of an attempt ends with it.
		go c.writeQuestion(ctx, pod, old, move)
	})
}

func (c *cluster) writeQuestion(ctx context.Context, pod *v1.Pod, old *v1alpha1.PodScheduling, move classicplan.Ask) {
	written, err := c.write(ctx, pod, old, move.Spec)
	isOutdated := outdated(err)
	if isOutdated {
		written, err = c.read(ctx, pod)
	}
	again := isOutdated
	c.remember(pod, func(t *talk) {
		again = again || err != nil || t.asking.again
		t.asking, t.failed = nil, err
		switch {
		case err != nil:
			return
		case isOutdated && written == nil && old != nil:
			t.gone = old.UID
		case !isOutdated:
			t.rejected, t.stuck, t.beyond = move.Rejected, nil, false
		}
		t.latest = written
	})
	if err == nil && !isOutdated {
		klog.FromContext(ctx).V(4).Info("Asked resource drivers", "pod", klog.KObj(pod), "selected", move.Spec.SelectedNode, "potential", len(move.Spec.PotentialNodes))
	}
	if again {
		c.activate(map[string]*v1.Pod{pod.Namespace + "/" + pod.Name: pod})
		return
	}
	c.wake(pod.Namespace, pod.Name) // They may have answered already.
}

// mayTry says whether a pod may be tried: not while a question of it is being written. The
// error is why that failed, which is told once.
func (c *cluster) mayTry(pod *v1.Pod) (bool, error) {
	may, err := true, error(nil)
	c.remember(pod, func(t *talk) {
		if t.asking != nil {
			may, t.asking.again = false, true
		}
		err, t.failed = t.failed, nil
	})
	return may, err
}

// isAsking says whether a question of a pod is being written.
func (c *cluster) isAsking(pod *v1.Pod) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	talk := c.talks[pod.UID]
	return talk != nil && talk.asking != nil
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
