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
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func partOfPool(name string) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourceapi.ResourceSliceSpec{
		Driver: "d", Pool: resourceapi.ResourcePool{Name: "p", Generation: 1, ResourceSliceCount: 2},
	}}
}

// A driver registers before its last slice exists: counters and their devices are in different
// slices.
func TestDriverIsReadyWithItsLastSlice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(partOfPool("devices"))
		if err := Pools(t.Context(), client, "d", 1); err == nil || !strings.Contains(err.Error(), "complete: 0") {
			t.Errorf("one slice of two is enough: %v", err)
		}
		began := time.Now()
		time.AfterFunc(3*time.Second, func() {
			if _, err := client.ResourceV1().ResourceSlices().Create(t.Context(), partOfPool("counters"), metav1.CreateOptions{}); err != nil {
				t.Error(err)
			}
		})
		if err := Pools(t.Context(), client, "d", 1); err != nil || time.Since(began) < 3*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}
