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

package kubelet_test

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1conversion "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"
)

// The API server accepts the health of init containers and extended resources. Otherwise, it would
// reject any status of such a pod.
func TestAPIServerTakesStatus(t *testing.T) {
	m := takeOver(t, "c")
	name := "c"
	p := &corev1.Pod{}
	p.Namespace, p.Name, p.UID, p.ResourceVersion = "ns", "p", "p", "1"
	p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "entry", ResourceClaimName: &name}}
	p.Spec.InitContainers = []corev1.Container{{Name: "init", Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "entry"}}}}}
	p.Spec.Containers = []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{
		Claims:   []corev1.ResourceClaim{{Name: "entry", Request: "req"}},
		Requests: corev1.ResourceList{"example.com/gpu": resource.MustParse("1")}}}}
	p.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "c",
		RequestMappings: []corev1.ContainerExtendedResourceRequest{{ContainerName: "main", ResourceName: "example.com/gpu", RequestName: "req"}}}
	p.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "init"}}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main"}}

	status := p.Status.DeepCopy()
	m.UpdateStatus(context.Background(), p, status)
	if len(status.InitContainerStatuses[0].AllocatedResourcesStatus) != 1 || len(status.ContainerStatuses[0].AllocatedResourcesStatus) != 2 {
		t.Fatalf("health is missing: %+v", status)
	}
	updated := p.DeepCopy()
	updated.Status = *status
	if errs := problems(t, p, updated); len(errs) != 0 {
		t.Errorf("status is refused: %v", errs)
	}
	updated.Status.InitContainerStatuses[0].AllocatedResourcesStatus[0].Name = "claim:other"
	if errs := problems(t, p, updated); len(errs) == 0 {
		t.Error("a wrong name is not noticed, so this test shows nothing")
	}
}

// problems are the API server's errors about container status.
func problems(t *testing.T, before, after *corev1.Pod) field.ErrorList {
	t.Helper()
	var oldPod, newPod core.Pod
	for from, to := range map[*corev1.Pod]*core.Pod{before: &oldPod, after: &newPod} {
		if err := corev1conversion.Convert_v1_Pod_To_core_Pod(from.DeepCopy(), to, nil); err != nil {
			t.Fatal(err)
		}
	}
	return validation.ValidatePodStatusUpdate(&newPod, &oldPod, validation.PodValidationOptions{}).Filter(func(err error) bool {
		// The rest of the pod is incomplete.
		return !strings.Contains(err.Error(), "allocatedResourcesStatus")
	})
}
