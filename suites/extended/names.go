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
