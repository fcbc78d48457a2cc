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

package undertest

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

// Halfway is an update of the driver's DaemonSet, stopped halfway until it is undone.
type Halfway struct {
	driver *Driver
	// first is whether a pod is from before the update.
	first  func(corev1.Pod) bool
	before *appsv1.DaemonSet
	undone bool
}

// RollOutHalfway begins an update of the driver and stops it: new pods become available only after
// years, so the DaemonSet keeps the old ones. It returns when a node has a pod and sockets of both.
// The update is undone when the case ends.
func (d *Driver) RollOutHalfway(node string) *Halfway {
	ginkgo.GinkgoHelper()
	d.t.Step("begin to replace all pods of daemon set %s/%s, and keep those of before", d.spec.Namespace, d.spec.DaemonSet)
	d.endAll()
	sockets := len(d.Sockets(node))
	set, err := d.t.Client.AppsV1().DaemonSets(d.spec.Namespace).Get(d.t.Context(), d.spec.DaemonSet, metav1.GetOptions{})
	d.t.NoError(err, "get the daemon set")
	h := &Halfway{driver: d, first: isOneOf(d.pods(d.t.Context(), node)), before: set}
	ginkgo.DeferCleanup(func(ctx context.Context) {
		if h.undone {
			return
		}
		d.t.Step("undo the update, as the case did not")
		d.t.NoError(h.undo(ctx), "put the daemon set back as it was")
		d.t.NoError(d.awaitServing(ctx), "wait for the driver")
	}, ginkgo.NodeTimeout(putBackTimeout))
	d.t.NoError(d.patch(d.t.Context(), set, halfway(set, time.Now())), "change the daemon set")
	d.t.SetBlocked("the daemon set has made no second pod beside the first")
	d.t.Poll(fmt.Sprintf("a new pod of the driver on %s beside the first", node), func(ctx context.Context) (bool, string, error) {
		old, young, err := h.count(ctx, node)
		return old > 0 && young > 0, fmt.Sprintf("%d pod(s) of before and %d new one(s) are ready", old, young), err
	})
	d.t.SetBlocked("the driver has opened no second socket")
	d.t.Poll("sockets of the new pod", func(context.Context) (bool, string, error) {
		now := d.Sockets(node)
		return len(now) > sockets, fmt.Sprint(now), nil
	})
	d.t.SetBlocked("")
	return h
}

// Undo restores the DaemonSet and returns when a node has the old pod alone, which has run all the
// time.
func (h *Halfway) Undo(node string) {
	ginkgo.GinkgoHelper()
	t := h.driver.t
	t.Step("undo the update of daemon set %s/%s", h.before.Namespace, h.before.Name)
	t.NoError(h.undo(t.Context()), "put the daemon set back as it was")
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

// count returns how many old and new pods of the driver on a node are ready.
func (h *Halfway) count(ctx context.Context, node string) (old, young int, err error) {
	all, err := h.driver.driverPods(ctx)
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

func (d *Driver) patch(ctx context.Context, is, wanted *appsv1.DaemonSet) error {
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
	_, err = d.t.Client.AppsV1().DaemonSets(is.Namespace).Patch(ctx, is.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return err
}

// halfway returns the DaemonSet with new pods, available only in years.
func halfway(set *appsv1.DaemonSet, now time.Time) *appsv1.DaemonSet {
	set = set.DeepCopy()
	set.Spec.MinReadySeconds = math.MaxInt32
	metav1.SetMetaDataAnnotation(&set.Spec.Template.ObjectMeta, restartedAt, now.UTC().Format(time.RFC3339))
	return set
}

// undone returns the DaemonSet with its old pods. A template differing in a single byte would
// replace them.
func undone(set, before *appsv1.DaemonSet) *appsv1.DaemonSet {
	set = set.DeepCopy()
	set.Spec.MinReadySeconds, set.Spec.Template = before.Spec.MinReadySeconds, *before.Spec.Template.DeepCopy()
	return set
}
