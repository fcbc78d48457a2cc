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

package testbed

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// DriverDigests are the image digests of the test driver's agents, as reported by the nodes' container runtimes;
// empty if none is visible.
func (b *Testbed) DriverDigests(ctx context.Context) []string {
	pods, err := b.Client.CoreV1().Pods(spec.SystemNamespace).List(ctx, metav1.ListOptions{LabelSelector: spec.LabelManagedBy + "=" + spec.ManagedBy})
	if err != nil {
		return nil
	}
	var digests []string
	for _, pod := range pods.Items {
		for _, c := range pod.Status.ContainerStatuses {
			if c.ImageID != "" {
				digests = append(digests, c.ImageID[strings.LastIndexAny(c.ImageID, "@/")+1:])
			}
		}
	}
	slices.Sort(digests)
	return slices.Compact(digests)
}
