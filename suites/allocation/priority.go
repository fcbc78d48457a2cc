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

package allocation

import (
	"context"
	"strings"

	"github.com/onsi/ginkgo/v2"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
)

// importance is higher than the default, and far lower than system priorities (k8s.io/kubernetes
// v1.37.1, pkg/apis/scheduling, HighestUserDefinablePriority).
const importance = 1_000_000

// createPriority creates a priority class for preempting pods without one. It returns its name once
// the API server accepts pods with it: admission looks up classes in a cache.
func createPriority(t *harness.T) string {
	ginkgo.GinkgoHelper()
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: t.Namespace + ".important"}, Value: importance, Description: "of a case of dratest"}
	t.Create(class)
	pod := objects.Pod("probe", t.Image)
	pod.Spec.PriorityClassName = class.Name
	t.Poll("priority class "+class.Name+" to be known to admission", func(ctx context.Context) (bool, string, error) {
		_, err := t.Client.CoreV1().Pods(t.Namespace).Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if apierrors.IsForbidden(err) && strings.Contains(err.Error(), class.Name) {
			return false, err.Error(), nil
		}
		return err == nil, "accepted", err
	})
	return class.Name
}
