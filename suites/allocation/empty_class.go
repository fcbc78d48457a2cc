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

package allocation

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// EmptyClass requests devices through a class without selectors.
var EmptyClass = harness.Case{Meta: spec.Meta{
	ID:       "allocation/empty-class",
	Checks:   "A class without selectors allows each device the request's selectors match, also of different drivers.",
	Requires: []spec.RequirementID{"kep-4381/empty-class-allows-all"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	other := otherDriver(t)
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "any-" + t.DriverName()}}
	t.Create(class, objects.NetworkSlice("other-"+t.DriverName(), other, "pool", profiles.Device(7, "b", "8Gi")))
	t.Publish("pool", "", profiles.Device(0, "a", "8Gi"))
	of := func(driver string) string { return "device.driver == '" + driver + "'" }

	claim := use(t, objects.Claim("any", objects.Request("mine", class.Name, of(t.DriverName())), objects.Request("other", class.Name, of(other))))
	t.Expect(results(claim)).To(gomega.Equal([]string{"mine=pool/device-0", "other=pool/device-7"}), "devices of both drivers")
	release(t, "any")
	wait(t, objects.Claim("narrow", objects.Request("other", t.CreateClass(nil), of(other))))
}}

// otherDriver returns the name of a second driver of the case, as unique as the first.
func otherDriver(t *harness.T) string { return t.Namespace + ".dra-conformance.github.io" }
