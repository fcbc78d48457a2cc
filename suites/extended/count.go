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

package extended

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
)

// countOn sets the count of an extended resource in a node's status, as kubelets do for device
// plugins, and returns once the scheduler has seen it. The pods do not run, so no device plugin is
// needed. The resource is removed at the end of the case. A killed run leaves it, under a unique name,
// until the kubelet restarts.
func countOn(t *harness.T, node string, resource corev1.ResourceName, number int64) {
	ginkgo.GinkgoHelper()
	t.Step("have the status of node %s count %d of %s", node, number, resource)
	t.OnCleanup(func(ctx context.Context, _ bool) error {
		return await.Insist(ctx, "take "+string(resource)+" from the status of node "+node, func(ctx context.Context) error {
			return count(ctx, t, node, resource, nil)
		})
	})
	t.NoError(count(t.Context(), t, node, resource, ptr.To(strconv.FormatInt(number, 10))), "write the status of node %s", node)
	scheduler.AwaitNodeSeen(t, node)
}

// count writes the number of a resource, or removes it if number is nil.
func count(ctx context.Context, t *harness.T, node string, resource corev1.ResourceName, number *string) error {
	numbers := map[corev1.ResourceName]*string{resource: number}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"capacity": numbers, "allocatable": numbers}})
	if err != nil {
		return err
	}
	_, err = t.Client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}
