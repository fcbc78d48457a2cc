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
	"github.com/dra-conformance/dratest/framework/spec"
)

// deviceStillPrepared is about: kubernetes/kubernetes#141471,
// kubernetes-sigs/dra-example-driver#263.
var deviceStillPrepared = Check{Meta: spec.Meta{
	ID:       "sanity/device-still-prepared",
	Checks:   "A device still prepared for a force-deleted claim is not prepared for another claim.",
	Requires: []spec.RequirementID{"kubeletplugin/driver-refuses-device-in-use"},
}, Source: "kubernetes/kubernetes#141471, kubernetes-sigs/dra-example-driver#263", Run: func(t *T) {
	device := t.Exclusive(1)[0]
	old := t.One(device)
	t.Prepare(old, "a claim")
	t.Delete(old)
	_, why := t.Try(t.One(device), "a claim for a device prepared for another claim")
	if why == "" {
		t.Failf("device %s of pool %s is prepared for two claims: a container of the first may still run", device.Name, device.Pool)
	}
	t.Notef("%s", why)
}}
