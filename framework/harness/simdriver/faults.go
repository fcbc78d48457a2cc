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

package simdriver

import (
	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Fail replaces the injected faults of all instances. Without faults the driver works again.
func (d *Driver) Fail(faults ...spec.Fault) {
	ginkgo.GinkgoHelper()
	for _, f := range faults {
		d.t.Step("script fault: %s %s", f.Method, f.Kind)
	}
	all := append([]spec.Fault{}, faults...) // nil would keep the previous faults
	d.change(spec.DriverChange{Faults: &all})
}

// Serve closes or opens the sockets of the service of all instances. The sockets of their registration
// stay open.
func (d *Driver) Serve(on bool) {
	ginkgo.GinkgoHelper()
	if on {
		d.t.Step("open the sockets of the driver's service")
	} else {
		d.t.Step("shut the sockets of the driver's service, and leave those of its registration")
	}
	d.change(spec.DriverChange{Serve: &on})
}

// LoseCDI removes the CDI files of the driver, as a reboot does.
func (d *Driver) LoseCDI() {
	ginkgo.GinkgoHelper()
	d.t.Step("remove the CDI files of all prepared claims")
	d.change(spec.DriverChange{LoseCDI: true})
}

// Fabric replaces the binding conditions of devices of one node that become true, and when. Without
// conditions, as in the beginning, pods wait.
func (d *Driver) Fabric(node string, conditions ...spec.FabricCondition) {
	ginkgo.GinkgoHelper()
	for _, c := range conditions {
		d.t.Step("script fabric on %s: %s after %s", node, c.Type, c.Delay)
	}
	// nil would keep the previous conditions.
	all := append([]spec.FabricCondition{}, conditions...)
	d.t.NoError(d.changeOn(d.t.Context(), node, spec.DriverChange{Fabric: &all}), "script fabric")
}
