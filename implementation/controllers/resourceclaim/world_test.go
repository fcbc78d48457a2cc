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

package resourceclaim_test

import (
	"context"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/component-base/metrics"

	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
	"github.com/dra-conformance/dratest/implementation/controllers/resourceclaim"
)

func TestMain(m *testing.M) { apitest.Main(m) }

type cluster struct {
	*apitest.Cluster
}

func story(t *testing.T, tell func(*cluster), objects ...runtime.Object) {
	t.Helper()
	apitest.Story(t, func(c *apitest.Cluster) { tell(&cluster{Cluster: c}) }, objects...)
}

func (c *cluster) start() {
	c.Helper()
	c.Start(func(ctx context.Context, factory informers.SharedInformerFactory, registry metrics.KubeRegistry) (apitest.Controller, error) {
		controller, err := resourceclaim.New(ctx, c, factory)
		if err == nil {
			controller.Register(registry.MustRegister, registry.CustomMustRegister)
		}
		return controller, err
	})
}

func (c *cluster) claims() []resourceapi.ResourceClaim {
	c.Helper()
	list, err := c.ResourceV1().ResourceClaims("ns").List(c.Ctx, metav1.ListOptions{})
	c.Must(err)
	return list.Items
}

func (c *cluster) pod(name string) *corev1.Pod {
	c.Helper()
	pod, err := c.CoreV1().Pods("ns").Get(c.Ctx, name, metav1.GetOptions{})
	c.Must(err)
	return pod
}

func (c *cluster) setPhase(name string, phase corev1.PodPhase) {
	c.Helper()
	pod := c.pod(name).DeepCopy()
	pod.Status.Phase = phase
	_, err := c.CoreV1().Pods("ns").UpdateStatus(c.Ctx, pod, metav1.UpdateOptions{})
	c.Must(err)
	synctest.Wait()
}

func (c *cluster) deletePod(name string) {
	c.Helper()
	c.Must(c.CoreV1().Pods("ns").Delete(c.Ctx, name, metav1.DeleteOptions{}))
	synctest.Wait()
}

func (c *cluster) only() *resourceapi.ResourceClaim {
	c.Helper()
	claims := c.claims()
	if len(claims) != 1 {
		c.Fatalf("there are %d claims", len(claims))
	}
	return &claims[0]
}

func pod(name string, change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
	for _, f := range change {
		f(p)
	}
	return p
}

func withTemplate(entry string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: entry, ResourceClaimTemplateName: new("template")})
	}
}

func withClaim(entry, name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: entry, ResourceClaimName: &name})
	}
}

func template() *resourceapi.ResourceClaimTemplate {
	t := &resourceapi.ResourceClaimTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "template"}}
	t.Spec.Labels = map[string]string{"color": "red"}
	t.Spec.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "req", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "class"}}}
	return t
}

// userClaim is a claim allocated and reserved for pods.
func userClaim(users ...*corev1.Pod) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "shared", Finalizers: []string{resourceapi.Finalizer}}}
	c.Status.Allocation = &resourceapi.AllocationResult{}
	for _, user := range users {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: user.Name, UID: user.UID})
	}
	return c
}
