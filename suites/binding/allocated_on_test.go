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

package binding

import (
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestWaitAllocatedOn(t *testing.T) {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim", Namespace: harnesstest.Namespace}}
	claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
		Results: []resourceapi.DeviceRequestAllocationResult{{Request: "req", Pool: "node", Device: "device-0"}},
	}}
	f := harnesstest.New(t, spec.Meta{}, &harness.Env{}, claim)
	f.Nodes = []string{"x", "node"}
	f.Succeeds(t, func() { waitAllocatedOn(f.T) })
	f.Nodes = []string{"x", "y"}
	failed := f.Fails(t, func() { waitAllocatedOn(f.T) })
	if failed == nil || !strings.Contains(failed.Text, `from pool "node"`) || !strings.Contains(failed.Text, "[x y]") {
		t.Errorf("got %+v", failed)
	}
}
