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

package sanity

import (
	"context"
	"testing"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubetesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

// TestSlicesComeBack: a driver with a bug of the plugin library (kubernetes/kubernetes#140011) failed without this
// reason, and had no devices afterwards.
func TestSlicesComeBack(t *testing.T) {
	for name, tc := range map[string]struct {
		lost func(deletion int) bool
		want spec.Status
		text string
	}{
		"published again":               {func(int) bool { return false }, spec.Passed, ""},
		"lost, but not a minute later":  {func(deletion int) bool { return deletion == 1 }, spec.Failed, "kubernetes/kubernetes#140011"},
		"lost once it has been updated": {func(int) bool { return true }, spec.Failed, "after the slices were deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &testDriver{}
			w := d.served(t, devices("gpu-0")...)
			w.Restart, w.PublishTimeout, w.RepairDelay = func(context.Context) error { return nil }, 200*time.Millisecond, time.Millisecond
			deletions := 0
			d.client.PrependReactor("update", "resourceslices", func(action kubetesting.Action) (bool, runtime.Object, error) {
				delete(action.(kubetesting.UpdateAction).GetObject().(*resourceapi.ResourceSlice).Spec.Devices[0].Attributes, edit)
				return false, nil, nil
			})
			d.client.PrependReactor("delete", "resourceslices", func(kubetesting.Action) (bool, runtime.Object, error) {
				deletions++
				return !tc.lost(deletions), nil, nil
			})
			did(t, w, slicesComeBack, tc.want, tc.text)
		})
	}
}
