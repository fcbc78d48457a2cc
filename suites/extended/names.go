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
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
)

// implicit returns a class's implicit extended resource name.
func implicit(class string) string { return resourceapi.ResourceDeviceClassPrefix + class }

// createClass creates the case's class with an extended resource name, and returns the name. Both
// are unique to the case.
func createClass(t *harness.T) (resource string) {
	resource = t.DriverName() + "/device"
	t.CreateClass(func(c *resourceapi.DeviceClass) { c.Spec.ExtendedResourceName = &resource })
	return resource
}

// deviceOf returns a device for a pool published by the case.
func deviceOf(name string) resourceapi.Device { return resourceapi.Device{Name: name} }
