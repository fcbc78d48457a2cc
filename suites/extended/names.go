package extended

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
)

// implicit is the extended resource as which a class can be asked for without
// saying so.
func implicit(class string) string { return resourceapi.ResourceDeviceClassPrefix + class }

// createClass creates the case's class with the name of an extended resource,
// which is returned; it is the case's own, as the class is.
func createClass(t *harness.T) (resource string) {
	resource = t.DriverName() + "/device"
	t.CreateClass(func(c *resourceapi.DeviceClass) { c.Spec.ExtendedResourceName = &resource })
	return resource
}

// deviceOf is a device that the case publishes itself.
func deviceOf(name string) resourceapi.Device { return resourceapi.Device{Name: name} }
