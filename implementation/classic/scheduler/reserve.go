package scheduler

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classicplan"
	"github.com/dra-conformance/dratest/implementation/scheduler/reservation"
)

// maxTries is how often a write is tried for newer objects. Each other writer, a driver
// that answers, writes once.
const maxTries = 5

// Reserve makes the next move of the negotiation: with claims that wait for their first
// consumer, the pod goes on only once drivers have allocated them. What is to be asked is
// written here, not in PreBind, as plugins after this one reserve nothing then.
func (pl *Plugin) Reserve(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, nodeName string) *fwk.Status {
	a := attemptOf(cycle)
	if a == nil {
		return nil
	}
	n := a.negotiation
	n.Fitting = append(n.Fitting, nodeName)
	for _, node := range a.fitting {
		if node != nodeName {
			n.Fitting = append(n.Fitting, node)
		}
	}
	for range maxTries {
		switch move := classicplan.Negotiate(n).(type) {
		case classicplan.Bind:
			return nil
		case classicplan.Await:
			return fwk.NewStatus(fwk.Pending, "waiting for resource drivers: "+move.Why)
		case classicplan.GiveUp:
			pl.cluster.remember(pod, func(t *talk) { t.rejected, t.stuck = nil, nil })
			return unschedulable(klog.FromContext(ctx), move.Why, pod)
		case classicplan.Ask:
			written, err := pl.cluster.write(ctx, pod, n.Scheduling, move.Spec)
			if err == nil {
				pl.cluster.remember(pod, func(t *talk) { t.latest, t.rejected, t.stuck, t.beyond = written, move.Rejected, nil, false })
				klog.FromContext(ctx).V(4).Info("Asked resource drivers", "pod", klog.KObj(pod), "selected", move.Spec.SelectedNode, "potential", len(move.Spec.PotentialNodes))
				return fwk.NewStatus(fwk.Pending, "waiting for resource drivers: "+classicplan.Awaiting(written, n.Pending))
			}
			if !outdated(err) {
				return fwk.AsStatus(err)
			}
			if n.Scheduling, err = pl.cluster.read(ctx, pod); err != nil {
				return fwk.AsStatus(err)
			}
		}
	}
	return fwk.AsStatus(fmt.Errorf("write PodScheduling of pod %s: it changes all the time", klog.KObj(pod)))
}

// outdated says that an object is not as it was thought to be.
func outdated(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err)
}

// write creates or updates the PodScheduling of a pod, nil if there is none.
func (c *cluster) write(ctx context.Context, pod *v1.Pod, old *v1alpha1.PodScheduling, spec v1alpha1.PodSchedulingSpec) (*v1alpha1.PodScheduling, error) {
	objects := c.classic.PodSchedulings(pod.Namespace)
	if old != nil {
		changed := old.DeepCopy()
		changed.Spec = spec
		written, err := objects.Update(ctx, changed, metav1.UpdateOptions{})
		if err != nil {
			return nil, fmt.Errorf("update PodScheduling of pod %s: %w", klog.KObj(pod), err)
		}
		return written, nil
	}
	written, err := objects.Create(ctx, &v1alpha1.PodScheduling{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(pod, v1.SchemeGroupVersion.WithKind("Pod")),
		}},
		Spec: spec,
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create PodScheduling of pod %s: %w", klog.KObj(pod), err)
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

// Unreserve takes the pod out of the consumers of the claims that PreBind reserved for it.
func (pl *Plugin) Unreserve(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, _ string) {
	a := attemptOf(cycle)
	if a == nil {
		return
	}
	for _, claim := range a.reserved {
		if err := pl.release(ctx, pod, claim.Namespace, claim.Name, claim.UID); err != nil {
			// The pod is tried again and uses it, or is deleted, upon which Kubernetes' claim
			// controller removes the reservation.
			klog.FromContext(ctx).Error(err, "Claim stays reserved", "pod", klog.KObj(pod), "resourceclaim", klog.KObj(claim))
		}
	}
	a.reserved = nil
}

// release takes a pod out of a claim's consumers, whatever the claim's version is. A claim
// that is gone, or another one by now, needs nothing.
func (pl *Plugin) release(ctx context.Context, pod *v1.Pod, namespace, name string, uid types.UID) error {
	updated, err := reservation.Remove(ctx, pl.client.ResourceV1().ResourceClaims(namespace), name, uid, pod.UID)
	if err != nil && !outdated(err) {
		return errors.Join(fmt.Errorf("release claim %s/%s", namespace, name), err)
	}
	if err == nil && updated != nil {
		pl.assume(ctx, updated)
	}
	return nil
}
