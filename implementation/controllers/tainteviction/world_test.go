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

package tainteviction_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/component-base/metrics"

	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
	"github.com/dra-conformance/dratest/implementation/controllers/tainteviction"
)

func TestMain(m *testing.M) { apitest.Main(m) }

type cluster struct {
	*apitest.Cluster
	config tainteviction.Config
}

func story(t *testing.T, tell func(*cluster), objects ...runtime.Object) {
	t.Helper()
	apitest.Story(t, func(c *apitest.Cluster) { tell(&cluster{Cluster: c}) }, objects...)
}

func (c *cluster) start() {
	c.Helper()
	c.Start(func(ctx context.Context, factory informers.SharedInformerFactory, registry metrics.KubeRegistry) (apitest.Controller, error) {
		controller, err := tainteviction.New(ctx, c, factory, c.config)
		if err == nil {
			controller.Register(registry.MustRegister)
		}
		return controller, err
	})
}

func (c *cluster) pod(name string) *corev1.Pod {
	c.Helper()
	pod, err := c.CoreV1().Pods("ns").Get(c.Ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	c.Must(err)
	return pod
}

// condition returns status, reason and message of a rule's condition.
func (c *cluster) condition(name string) string {
	c.Helper()
	rule, err := c.ResourceV1().DeviceTaintRules().Get(c.Ctx, name, metav1.GetOptions{})
	c.Must(err)
	if len(rule.Status.Conditions) != 1 {
		c.Fatalf("the rule has the conditions %v", rule.Status.Conditions)
	}
	condition := rule.Status.Conditions[0]
	return string(condition.Status) + " " + condition.Reason + ": " + condition.Message
}

func (c *cluster) setSlice(slice *resourceapi.ResourceSlice) {
	c.Helper()
	old, err := c.ResourceV1().ResourceSlices().Get(c.Ctx, slice.Name, metav1.GetOptions{})
	c.Must(err)
	slice.ResourceVersion, slice.UID = old.ResourceVersion, old.UID
	_, err = c.ResourceV1().ResourceSlices().Update(c.Ctx, slice, metav1.UpdateOptions{})
	c.Must(err)
	synctest.Wait()
}

// pod returns a running pod using the claim "claim".
func pod(name string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)}}
	p.Spec.NodeName = "worker"
	p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "entry", ResourceClaimName: new("claim")}}
	return p
}

// claim returns a claim with the device "dev", for a pod.
func claim(user *corev1.Pod, tolerations ...resourceapi.DeviceToleration) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "claim"}}
	c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
		{Request: "req", Driver: "driver", Pool: "pool", Device: "dev", Tolerations: tolerations}}}}
	c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: user.Name, UID: user.UID}}
	return c
}

// forAWhile tolerates all taints for a minute.
func forAWhile() resourceapi.DeviceToleration {
	return resourceapi.DeviceToleration{Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoExecute, TolerationSeconds: new(int64(60))}
}

// taint was added when the test began.
func taint(effect resourceapi.DeviceTaintEffect) resourceapi.DeviceTaint {
	return resourceapi.DeviceTaint{Key: "broken", Effect: effect, TimeAdded: &metav1.Time{Time: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)}}
}

func slice(taints ...resourceapi.DeviceTaint) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice"}, Spec: resourceapi.ResourceSliceSpec{
		Driver: "driver", Pool: resourceapi.ResourcePool{Name: "pool"}, Devices: []resourceapi.Device{{Name: "dev", Taints: taints}}}}
}

// rule taints the device "dev".
func rule(effect resourceapi.DeviceTaintEffect) *resourceapi.DeviceTaintRule {
	return &resourceapi.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "rule", Generation: 1},
		Spec: resourceapi.DeviceTaintRuleSpec{DeviceSelector: &resourceapi.DeviceTaintSelector{Device: new("dev")}, Taint: taint(effect)}}
}
