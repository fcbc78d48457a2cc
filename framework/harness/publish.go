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
	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/objects"
)

// Slice returns the only slice of a pool of the case's driver, with devices on a node, or on all
// nodes if node is empty. The case may change the slice before it creates it.
func (t *T) Slice(pool, node string, devices ...resourceapi.Device) *resourceapi.ResourceSlice {
	slice := objects.NetworkSlice(pool+"-"+t.DriverName(), t.DriverName(), pool, devices...)
	if node != "" {
		slice.Spec.AllNodes, slice.Spec.NodeName = nil, ptr.To(node)
	}
	return slice
}

// Publish creates Slice unchanged.
func (t *T) Publish(pool, node string, devices ...resourceapi.Device) *resourceapi.ResourceSlice {
	ginkgo.GinkgoHelper()
	slice := t.Slice(pool, node, devices...)
	t.Create(slice)
	return slice
}

// Attribute is the CEL expression for an attribute of the driver's devices.
func (t *T) Attribute(name string) string {
	return "device.attributes['" + t.DriverName() + "']." + name
}
