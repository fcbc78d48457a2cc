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

// WaitPod waits for a pod to satisfy ok and returns it. what describes the condition. An error of
// ok ends the case.
func (t *T) WaitPod(name, what string, ok func(*corev1.Pod) (bool, error)) *corev1.Pod {
	ginkgo.GinkgoHelper()
	var last *corev1.Pod
	t.Await(fmt.Sprintf("pod %q to be %s", name, what), name, func(ctx context.Context, saw func(string)) error {
		saw(describe.Pod(nil))
		err := await.Follow(ctx, await.Pod(t.Client, t.Namespace, name), func(p *corev1.Pod) (bool, error) {
			last = p
			saw(describe.Pod(p))
			return ok(p)
		})
		// Devices held by other pods are not the fault of the driver under test.
		if driver := t.env.driverUnderTest(); err != nil && driver != "" && last != nil && last.Spec.NodeName == "" {
			t.SetBlocked(fmt.Sprintf("pod %s was not scheduled: no device of driver %s was free, or published", name, driver))
		}
		return err
	})
	return last
}

// PodNow returns the current pod.
func (t *T) PodNow(name string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return t.WaitPod(name, "present", func(*corev1.Pod) (bool, error) { return true, nil })
}

// WaitClaim waits for a claim to satisfy ok and returns it. what describes the condition.
func (t *T) WaitClaim(name, what string, ok func(*resourceapi.ResourceClaim) bool) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	var last *resourceapi.ResourceClaim
	t.Await(fmt.Sprintf("claim %q to be %s", name, what), name, func(ctx context.Context, saw func(string)) error {
		saw(describe.Claim(nil))
		return await.Follow(ctx, await.Claim(t.Client, t.Namespace, name), func(c *resourceapi.ResourceClaim) (bool, error) {
			last = c
			saw(describe.Claim(c))
			return ok(c), nil
		})
	})
	return last
}

// WaitPodGone waits for the deletion of a pod.
func (t *T) WaitPodGone(name string) {
	ginkgo.GinkgoHelper()
	waitGone(t, fmt.Sprintf("pod %q", name), name, await.Pod(t.Client, t.Namespace, name), describe.Pod)
}

// WaitClaimGone waits for the deletion of a claim.
func (t *T) WaitClaimGone(name string) {
	ginkgo.GinkgoHelper()
	waitGone(t, fmt.Sprintf("claim %q", name), name, await.Claim(t.Client, t.Namespace, name), describe.Claim)
}

func waitGone[O runtime.Object](t *T, what, name string, from await.Source, text func(O) string) {
	ginkgo.GinkgoHelper()
	t.Await(what+" to be gone", name, func(ctx context.Context, saw func(string)) error {
		var none O
		return await.All(ctx, from, func(left []O) bool {
			saw(text(none))
			for _, o := range left {
				saw(text(o))
			}
			return len(left) == 0
		})
	})
}

// Poll waits for a condition without a watch. look reports the condition and its observation.
func (t *T) Poll(what string, look func(ctx context.Context) (ok bool, seen string, err error)) {
	ginkgo.GinkgoHelper()
	t.PollPatiently(what, await.Patience, look)
}

// PollPatiently is Poll with more patience for errors of look.
func (t *T) PollPatiently(what string, patience time.Duration, look func(ctx context.Context) (ok bool, seen string, err error)) {
	ginkgo.GinkgoHelper()
	t.Await(what, "", func(ctx context.Context, saw func(string)) error {
		return await.Patiently(ctx, patience, func(ctx context.Context) (bool, error) {
			ok, seen, err := t.look(ctx, look)
			if err == nil {
				saw(seen)
			}
			return ok, err
		})
	})
}
