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

package await

import (
	"context"
	"fmt"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/audit"
)

// poolsTime bounds the publication of pools. The context may end before.
const poolsTime = 2 * time.Minute

// Pools waits until a driver has published a number of complete pools. A driver registers before it
// has published all slices, and the kubelet may remove slices during registration.
func Pools(ctx context.Context, client kubernetes.Interface, driver string, want int) error {
	ctx, cancel := context.WithTimeout(ctx, poolsTime)
	defer cancel()
	got := 0
	err := Until(ctx, func(ctx context.Context) (bool, error) {
		list, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + driver})
		if err != nil {
			return false, fmt.Errorf("list slices: %w", err)
		}
		got = audit.CompletePools(list.Items)
		return got == want, nil
	})
	if err != nil {
		return fmt.Errorf("wait for %d pools of driver %s: %w (complete: %d)", want, driver, err, got)
	}
	return nil
}
