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

package change

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/upgrade/path"
)

// awaitService waits until all nodes reach the API server as pods do. A terminating API server removes itself from
// its service, and each node's kube-proxy adds the new one only some seconds after it is ready; until then it refuses
// connections.
func (c Cluster) awaitService(ctx context.Context, step path.Step) error {
	return c.await(ctx, step, func(ctx context.Context) (string, error) {
		service, err := c.Client.CoreV1().Services(metav1.NamespaceDefault).Get(ctx, "kubernetes", metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		url := fmt.Sprintf("https://%s/readyz", service.Spec.ClusterIP)
		for _, m := range c.Machines {
			// Any answer will do.
			if _, err := m.Run(ctx, nil, "curl", "--silent", "--show-error", "--insecure", "--max-time", "5", url); err != nil {
				return "", err
			}
		}
		return "", nil
	})
}
