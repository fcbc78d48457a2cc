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
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/objects"
)

// CreateClass creates the case's device class for all devices of its driver, and returns its name;
// change may be nil.
func (t *T) CreateClass(change func(*resourceapi.DeviceClass)) string {
	ginkgo.GinkgoHelper()
	class := objects.Class(t.DriverName(), t.DriverName())
	if change != nil {
		change(class)
	}
	t.Create(class)
	return class.Name
}

// Container returns a running container printing its devices of the case's driver. It uses all
// requests of these claims.
func (t *T) Container(name string, claims ...string) corev1.Container {
	return objects.Container(name, t.Image, t.Driver.Script()+"\n"+objects.Stay, claims...)
}

// Pod returns a pod with Container "main" and these claims, under their own names.
func (t *T) Pod(name string, claims ...string) *corev1.Pod {
	pod := objects.Pod(name, t.Image, claims...)
	pod.Spec.Containers = []corev1.Container{t.Container("main", claims...)}
	return pod
}

// RunPod creates a pod and waits until it runs.
func (t *T) RunPod(pod *corev1.Pod) *corev1.Pod {
	ginkgo.GinkgoHelper()
	t.Create(pod)
	return t.WaitRunning(pod.Name)
}

// WaitRunning waits until a pod runs.
func (t *T) WaitRunning(name string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return t.WaitPod(name, "running", func(p *corev1.Pod) (bool, error) {
		if p.Status.Phase == corev1.PodFailed || p.Status.Phase == corev1.PodSucceeded {
			return false, errors.New("it has ended")
		}
		return p.Status.Phase == corev1.PodRunning, nil
	})
}

// WaitUnschedulable waits until the scheduler reports a pod as unschedulable, with a text
// containing message.
func (t *T) WaitUnschedulable(name, message string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return t.WaitPod(name, fmt.Sprintf("unschedulable: %q", message), func(p *corev1.Pod) (bool, error) {
		if p.Spec.NodeName != "" {
			return false, errors.New("it was scheduled")
		}
		return Unschedulable(p, message), nil
	})
}

// Unschedulable is whether the scheduler last reported a pod as unschedulable, with a text
// containing message.
func Unschedulable(p *corev1.Pod, message string) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && strings.Contains(c.Message, message)
	})
}

// WaitRunningAgain waits until a pod's first container runs after more than that many restarts.
func (t *T) WaitRunningAgain(name string, restarts int32) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return t.WaitPod(name, "running again", func(p *corev1.Pod) (bool, error) {
		status := p.Status.ContainerStatuses[0]
		return status.RestartCount > restarts && status.State.Running != nil, nil
	})
}

// RemovePod deletes a pod and waits until it is gone.
func (t *T) RemovePod(name string) {
	ginkgo.GinkgoHelper()
	t.Step("remove pod %s", name)
	t.Delete(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: t.Namespace}}, GracePeriod(time.Second))
	t.WaitPodGone(name)
}

// WaitAllocated waits until a claim is allocated.
func (t *T) WaitAllocated(name string) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	// Devices held by other pods are not the fault of the driver under test.
	if driver := t.env.driverUnderTest(); driver != "" {
		t.SetBlocked(fmt.Sprintf("claim %s was not allocated: no device of driver %s was free, or published", name, driver))
	}
	claim := t.WaitClaim(name, "allocated", func(c *resourceapi.ResourceClaim) bool { return c.Status.Allocation != nil })
	if t.env.driverUnderTest() != "" {
		t.SetBlocked("")
	}
	return claim
}

// WaitDeallocated waits until a claim has no allocation and no reservation.
func (t *T) WaitDeallocated(name string) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	return t.WaitClaim(name, "deallocated", func(c *resourceapi.ResourceClaim) bool {
		return c.Status.Allocation == nil && len(c.Status.ReservedFor) == 0
	})
}

// Environment returns the environment of a container with a script of package objects.
func (t *T) Environment(pod, container string) map[string]string {
	ginkgo.GinkgoHelper()
	environment := map[string]string{}
	for line := range strings.Lines(t.Output(pod, container)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			environment[key] = value
		}
	}
	return environment
}

// Output waits until a container has printed objects.EnvironmentEnd, and returns its log.
func (t *T) Output(pod, container string) string {
	ginkgo.GinkgoHelper()
	var log string
	t.Poll(fmt.Sprintf("environment of container %s in pod %s", container, pod), func(ctx context.Context) (bool, string, error) {
		raw, err := ReadLog(ctx, t.Client, t.Namespace, pod, corev1.PodLogOptions{Container: container})
		if err != nil { // the container has not started yet
			return false, err.Error(), nil //nolint:nilerr // it is the observation
		}
		log = string(raw)
		if !strings.Contains(log, objects.EnvironmentEnd) {
			return false, log, nil
		}
		return true, fmt.Sprintf("%d lines", strings.Count(log, "\n")), nil
	})
	return log
}

// AwaitReleased waits until an unused claim is unprepared and deallocated.
func (t *T) AwaitReleased(claim string) {
	ginkgo.GinkgoHelper()
	t.Driver.AwaitUnprepared()
	t.WaitDeallocated(claim)
}

// WaitScheduled waits until a pod is bound to a node. A case reads the state of that moment right
// away, because the pod may run a moment later.
func (t *T) WaitScheduled(name string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return t.WaitPod(name, "scheduled", func(p *corev1.Pod) (bool, error) { return p.Spec.NodeName != "", nil })
}

// retryTime is the longest time for a scheduler to retry a pod after an event for it: more than the
// longest default backoff of 10 s, and less than a periodic retry of all pods.
const retryTime = 30 * time.Second

// WaitRetried waits until a pending pod is scheduled after an event caused by the case. Unlike
// WaitScheduled, it times out before a periodic retry of all pods.
func (t *T) WaitRetried(name string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	var pod *corev1.Pod
	if !t.OccursWithin(retryTime, fmt.Sprintf("pod %q to be scheduled", name), func(context.Context) (bool, string, error) {
		pod = t.PodNow(name)
		return pod.Spec.NodeName != "", describe.Pod(pod), nil
	}) {
		t.Fatalf("expected the scheduler to retry pod %q and schedule it within %s, got: %s", name, retryTime, describe.Pod(pod))
	}
	return pod
}

// Claim returns the current claim.
func (t *T) Claim(name string) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	claim := &resourceapi.ResourceClaim{}
	claim.Name, claim.Namespace = name, t.Namespace
	t.Get(claim)
	return claim
}

// Claims returns the current claims of the case's namespace.
func (t *T) Claims() []resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	list, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).List(t.ctx, metav1.ListOptions{})
	t.NoError(err, "list the claims")
	return list.Items
}
