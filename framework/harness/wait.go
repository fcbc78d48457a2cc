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
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/describe"
)

// WaitPod waits until ok holds for a pod, and returns that pod; what describes the condition. An
// error of ok ends the case.
func (t *T) WaitPod(name, what string, ok func(*corev1.Pod) (bool, error)) *corev1.Pod {
	ginkgo.GinkgoHelper()
	t.Step("wait for pod %s to be %s", name, what)
	var last *corev1.Pod
	err := await.Follow(t.ctx, await.Pod(t.Client, t.Namespace, name), func(p *corev1.Pod) (bool, error) {
		last = p
		return ok(p)
	})
	if err != nil {
		// Devices held by other pods are not the fault of the driver under test.
		if driver := t.env.subject(); driver != "" && last != nil && last.Spec.NodeName == "" {
			t.SetBlocked(fmt.Sprintf("pod %s was not scheduled: no device of driver %s was free, or published", name, driver))
		}
		t.Fatalf("wait for pod %s to be %s: %v%s\nlast seen: %s", name, what, err, t.lastEvents(name), describe.Pod(last))
	}
	t.Note("pod %s is %s", name, what)
	return last
}

// PodNow returns the current pod.
func (t *T) PodNow(name string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return t.WaitPod(name, "there", func(*corev1.Pod) (bool, error) { return true, nil })
}

// WaitClaim waits until ok holds for a claim, and returns that claim; what describes the condition.
func (t *T) WaitClaim(name, what string, ok func(*resourceapi.ResourceClaim) bool) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	t.Step("wait for claim %s to be %s", name, what)
	var last *resourceapi.ResourceClaim
	err := await.Follow(t.ctx, await.Claim(t.Client, t.Namespace, name), func(c *resourceapi.ResourceClaim) (bool, error) {
		last = c
		return ok(c), nil
	})
	if err != nil {
		t.Fatalf("wait for claim %s to be %s: %v%s\nlast seen: %s", name, what, err, t.lastEvents(name), describe.Claim(last))
	}
	t.Note("claim %s is %s", name, what)
	return last
}

// WaitPodGone waits until a pod is gone.
func (t *T) WaitPodGone(name string) {
	ginkgo.GinkgoHelper()
	waitGone(t, "pod", name, await.Pod(t.Client, t.Namespace, name), describe.Pod)
}

// WaitClaimGone waits until a claim is gone.
func (t *T) WaitClaimGone(name string) {
	ginkgo.GinkgoHelper()
	waitGone(t, "claim", name, await.Claim(t.Client, t.Namespace, name), describe.Claim)
}

func waitGone[O runtime.Object](t *T, kind, name string, from await.Source, text func(O) string) {
	ginkgo.GinkgoHelper()
	t.Step("wait for %s %s to be gone", kind, name)
	seen := ""
	err := await.All(t.ctx, from, func(left []O) bool {
		for _, o := range left {
			seen = text(o)
		}
		return len(left) == 0
	})
	if err != nil {
		t.Fatalf("wait for %s %s to be gone: %v%s\nlast seen: %s", kind, name, err, t.lastEvents(name), seen)
	}
	t.Note("%s %s is gone", kind, name)
}

// Poll waits for a condition that cannot be watched. look returns whether it holds and what it saw.
func (t *T) Poll(what string, look func(ctx context.Context) (ok bool, seen string, err error)) {
	ginkgo.GinkgoHelper()
	t.PollPatiently(what, await.Patience, look)
}

// PollPatiently is Poll that tolerates failing looks for longer.
func (t *T) PollPatiently(what string, patience time.Duration, look func(ctx context.Context) (ok bool, seen string, err error)) {
	ginkgo.GinkgoHelper()
	saw := t.waits("wait for %s", what)
	last := "nothing"
	err := await.Patiently(t.ctx, patience, func(ctx context.Context) (bool, error) {
		ok, seen, err := t.look(ctx, look)
		if err == nil {
			last = seen
		}
		return ok, err
	})
	if err != nil {
		t.Fatalf("wait for %s: %v\nlast seen: %s", what, err, last)
	}
	saw(last)
}

// waits announces a wait and returns a function that notes its last observation. Waits inside the
// look of another wait are silent: they run ten times a second, and the outer wait is announced. So
// are waits of other goroutines during a look.
func (t *T) waits(format string, args ...any) (saw func(last string)) {
	if t.looking.Load() > 0 {
		return func(string) {}
	}
	t.Step(format, args...)
	return func(last string) { t.Note("seen: %s", firstLine(last)) }
}

func (t *T) look(ctx context.Context, look func(ctx context.Context) (bool, string, error)) (bool, string, error) {
	t.looking.Add(1)
	defer t.looking.Add(-1)
	return look(ctx)
}
