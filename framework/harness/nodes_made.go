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

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/harness/release"
)

// removeNodes removes the nodes created by the case, with their pods.
func (t *T) removeNodes(ctx context.Context) error {
	var errs []error
	for _, o := range t.tracked() {
		node, ok := o.(*corev1.Node)
		if !ok {
			continue
		}
		errs = append(errs,
			await.Insist(ctx, "delete "+describe.Object(node), func(ctx context.Context) error { return t.objects.Delete(ctx, node) }),
			await.Insist(ctx, "end the pods of "+describe.Object(node), func(ctx context.Context) error { return release.Node(ctx, t.Client, node.Name) }))
	}
	return errors.Join(errs...)
}
