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
	"encoding/json"
	"strconv"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness/await"
)

// counted is an extended resource of which a case has told a node's number.
type counted struct {
	node     string
	resource corev1.ResourceName
}

// CountOn has a node's status say that it has so many of an extended resource, as kubelets do
// for device plugins, and returns once the scheduler knows. No device plugin is needed: it is
// for pods that do not have to run. The resource goes when the case ends; a run that is killed
// leaves it, under a name that nobody else has, until the kubelet is restarted.
func (t *T) CountOn(node string, resource corev1.ResourceName, number int64) {
	ginkgo.GinkgoHelper()
	t.Step("have the status of node %s count %d of %s", node, number, resource)
	c := counted{node, resource}
	t.OnCleanup(func(ctx context.Context, _ bool) error {
		return await.Insist(ctx, "take "+string(resource)+" from the status of node "+node, func(ctx context.Context) error {
			return t.count(ctx, c, nil)
		})
	})
	t.NoError(t.count(t.ctx, c, ptr.To(strconv.FormatInt(number, 10))), "write the status of node %s", node)
	t.AwaitNodeSeen(node)
}

// count writes the number of a resource, nil for none.
func (t *T) count(ctx context.Context, c counted, number *string) error {
	numbers := map[corev1.ResourceName]*string{c.resource: number}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"capacity": numbers, "allocatable": numbers}})
	if err != nil {
		return err
	}
	_, err = t.Client.CoreV1().Nodes().Patch(ctx, c.node, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}
