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

package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/onsi/ginkgo/v2"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// Halfway is an update of the driver's DaemonSet that stays halfway until it is undone.
type Halfway struct {
	driver *Installed
	// first is whether a pod is one of before.
	first  func(corev1.Pod) bool
	before *appsv1.DaemonSet
	undone bool
}

// RollOutHalfway begins an update of the driver that its DaemonSet does not go on with: the new
// pods would be available only after years, so that those of before stay. It returns when a
// node has one of each, and sockets of both. The case ends with the update undone.
func (i *Installed) RollOutHalfway(node string) *Halfway {
	ginkgo.GinkgoHelper()
	i.t.Step("begin to replace all pods of daemon set %s/%s, and keep those of before", i.subject.Namespace, i.subject.DaemonSet)
	i.endAll()
	sockets := len(i.Sockets(node))
	set, err := i.t.Client.AppsV1().DaemonSets(i.subject.Namespace).Get(i.t.ctx, i.subject.DaemonSet, metav1.GetOptions{})
	i.t.NoError(err, "get the daemon set")
	h := &Halfway{driver: i, first: isOneOf(i.pods(i.t.ctx, node)), before: set}
	ginkgo.DeferCleanup(func(ctx context.Context) {
		if h.undone {
			return
		}
		i.t.Step("undo the update, as the case did not")
		i.t.NoError(h.undo(ctx), "put the daemon set back as it was")
		i.t.NoError(i.awaitServing(ctx), "wait for the driver")
	}, ginkgo.NodeTimeout(putBackTimeout))
	i.t.NoError(i.patch(i.t.ctx, set, halfway(set, time.Now())), "change the daemon set")
	i.t.SetBlocked("the daemon set has made no second pod beside the first")
	i.t.Poll(fmt.Sprintf("a new pod of the driver on %s beside the first", node), func(ctx context.Context) (bool, string, error) {
		old, young, err := h.count(ctx, node)
		return old > 0 && young > 0, fmt.Sprintf("%d pod(s) of before and %d new one(s) are ready", old, young), err
	})
	i.t.SetBlocked("the driver has opened no second socket")
	i.t.Poll("sockets of the new pod", func(context.Context) (bool, string, error) {
		now := i.Sockets(node)
		return len(now) > sockets, fmt.Sprint(now), nil
	})
	i.t.SetBlocked("")
	return h
}

// Undo goes back to the DaemonSet of before, and returns when a node has the pod of before
// alone, which has run all the time.
func (h *Halfway) Undo(node string) {
	ginkgo.GinkgoHelper()
	t := h.driver.t
	t.Step("undo the update of daemon set %s/%s", h.before.Namespace, h.before.Name)
	t.NoError(h.undo(t.ctx), "put the daemon set back as it was")
	h.undone = true
	h.driver.awaitRolledOut()
	t.SetBlocked("the daemon set did not go back to the pod of before")
	h.driver.awaitPods(node, "the driver's pod of before, alone,", h.first)
	t.SetBlocked("")
}

func (h *Halfway) undo(ctx context.Context) error {
	set, err := h.driver.t.Client.AppsV1().DaemonSets(h.before.Namespace).Get(ctx, h.before.Name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get the daemon set: %w", err)
	}
	return h.driver.patch(ctx, set, undone(set, h.before))
}

// count is how many of the driver's pods on a node are ready: those of before and new ones.
func (h *Halfway) count(ctx context.Context, node string) (old, young int, err error) {
	all, err := h.driver.t.driverPods(ctx)
	for _, p := range all {
		switch {
		case p.Spec.NodeName != node || !ready(p):
		case h.first(p):
			old++
		default:
			young++
		}
	}
	return old, young, err
}

func (i *Installed) patch(ctx context.Context, is, wanted *appsv1.DaemonSet) error {
	from, err := json.Marshal(is)
	if err != nil {
		return fmt.Errorf("encode the daemon set: %w", err)
	}
	to, err := json.Marshal(wanted)
	if err != nil {
		return fmt.Errorf("encode the daemon set: %w", err)
	}
	patch, err := strategicpatch.CreateTwoWayMergePatch(from, to, appsv1.DaemonSet{})
	if err != nil {
		return fmt.Errorf("make a patch of the daemon set: %w", err)
	}
	_, err = i.t.Client.AppsV1().DaemonSets(is.Namespace).Patch(ctx, is.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return err
}

// halfway is a DaemonSet with new pods, which are not available for years.
func halfway(set *appsv1.DaemonSet, now time.Time) *appsv1.DaemonSet {
	set = set.DeepCopy()
	set.Spec.MinReadySeconds = math.MaxInt32
	metav1.SetMetaDataAnnotation(&set.Spec.Template.ObjectMeta, restartedAt, now.UTC().Format(time.RFC3339))
	return set
}

// undone is a DaemonSet that is halfway with the pods of before. Their template has to be the
// same to the letter, or others come.
func undone(set, before *appsv1.DaemonSet) *appsv1.DaemonSet {
	set = set.DeepCopy()
	set.Spec.MinReadySeconds, set.Spec.Template = before.Spec.MinReadySeconds, *before.Spec.Template.DeepCopy()
	return set
}
