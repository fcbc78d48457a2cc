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

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ManyFromTemplate creates many pods at once, all with two claims from one template with annotations.
var ManyFromTemplate = harness.Case{Meta: spec.Meta{
	ID:       "claims/many-from-template",
	Checks:   "Many pods created at once get one claim for each of their template entries, annotated with the entry's name.",
	Requires: []spec.RequirementID{"kep-4381/template-creates-claim", "resource-v1/generated-claim-annotated", "kep-4381/template-labels-copied"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	const pods = 100
	template := objects.Template("template", objects.Claim("", objects.Request("req", t.CreateClass(nil))))
	template.Spec.Annotations = map[string]string{"example.com/annotation": "value"}
	t.Create(template)
	entries := []corev1.PodResourceClaim{{Name: "left", ResourceClaimTemplateName: ptr.To("template")}, {Name: "right", ResourceClaimTemplateName: ptr.To("template")}}
	var all sync.WaitGroup
	errs := make([]error, pods)
	for i := range errs {
		all.Go(func() {
			pod := objects.Pod(fmt.Sprintf("pod-%d", i), t.Image)
			pod.Spec.SchedulerName, pod.Spec.ResourceClaims = nobody, entries
			_, errs[i] = t.Client.CoreV1().Pods(t.Namespace).Create(t.Context(), pod, metav1.CreateOptions{})
		})
	}
	all.Wait()
	t.NoError(errors.Join(errs...), "create pods")

	t.Poll("all pods to name their claims", func(ctx context.Context) (bool, string, error) {
		list, err := t.Client.CoreV1().Pods(t.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, "", err
		}
		named := 0
		for i := range list.Items {
			named += len(namesOf(&list.Items[i]))
		}
		return named == pods*len(entries), fmt.Sprintf("%d claims named", named), nil
	})
	claims, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).List(t.Context(), metav1.ListOptions{})
	t.NoError(err, "list claims")
	made := map[string]int{}
	for _, c := range claims.Items {
		t.Expect(c.Annotations).To(gomega.HaveKeyWithValue("example.com/annotation", "value"), "annotations of claim %s", c.Name)
		made[metav1.GetControllerOf(&c).Name+"/"+c.Annotations[resourceapi.PodResourceClaimAnnotation]]++
	}
	want := map[string]int{}
	for i := range pods {
		for _, e := range entries {
			want[fmt.Sprintf("pod-%d/%s", i, e.Name)] = 1
		}
	}
	t.Expect(made).To(gomega.Equal(want), "claims by pod and entry")
}}
