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

package claims

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
)

// takeInTurn creates more pods than room, concurrently, each with a claim from "template": a first
// batch is scheduled, and the next one after its deletion. check gets the devices of each batch, one
// per pod.
func takeInTurn(t *harness.T, pods, room int, check func([]resourceapi.DeviceRequestAllocationResult)) {
	atOnce(t, pods)
	first := settled(t, room)
	check(given(t, first))
	for _, pod := range first {
		t.Delete(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: t.Namespace}}, harness.GracePeriod(time.Second))
	}
	for _, pod := range first {
		t.WaitPodGone(pod)
	}
	check(given(t, settled(t, room)))
}

// atOnce creates pods concurrently, each with a claim from "template".
func atOnce(t *harness.T, pods int) {
	var all sync.WaitGroup
	errs := make([]error, pods)
	for i := range errs {
		all.Go(func() {
			_, errs[i] = t.Client.CoreV1().Pods(t.Namespace).Create(t.Context(), objects.PodFromTemplate(fmt.Sprintf("pod-%d", i), t.Image, "template"), metav1.CreateOptions{})
		})
	}
	all.Wait()
	t.NoError(errors.Join(errs...), "create pods")
}

// settled returns the scheduled pods once all others wait for devices.
func settled(t *harness.T, room int) (scheduled []string) {
	t.Poll("all pods to be scheduled or to wait for devices", func(ctx context.Context) (bool, string, error) {
		pods, err := t.Client.CoreV1().Pods(t.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, "", err
		}
		waiting := 0
		scheduled = nil
		for _, p := range pods.Items {
			switch {
			case p.Spec.NodeName != "":
				scheduled = append(scheduled, p.Name)
			case harness.Unschedulable(&p, "cannot allocate all claims"):
				waiting++
			}
		}
		return len(scheduled)+waiting == len(pods.Items) && len(scheduled) >= room, fmt.Sprintf("%d are scheduled, %d wait", len(scheduled), waiting), nil
	})
	t.Expect(scheduled).To(gomega.HaveLen(room), "scheduled pods")
	return scheduled
}

// given returns the devices of scheduled pods.
func given(t *harness.T, pods []string) []resourceapi.DeviceRequestAllocationResult {
	all := make([]resourceapi.DeviceRequestAllocationResult, 0, len(pods))
	for _, pod := range pods {
		all = append(all, generated(t, pod).Status.Allocation.Devices.Results...)
	}
	return all
}

// differ fails the case if two claims have the same device.
func differ(t *harness.T, given []resourceapi.DeviceRequestAllocationResult) {
	names := sets.New[string]()
	for _, result := range given {
		t.Expect(names.Has(result.Device)).To(gomega.BeFalse(), "%s is given to two pods", result.Device)
		names.Insert(result.Device)
	}
}
