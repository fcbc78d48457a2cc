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
	"cmp"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Request asks for one device of the driver.
func (d *Driver) Request(name string) resourceapi.DeviceRequest {
	ginkgo.GinkgoHelper()
	if d.class == "" {
		class := objects.Class(d.Name, d.Name)
		d.t.Create(class)
		d.class = class.Name
	}
	return objects.Request(name, d.class)
}

// Script shows the environment, with a variable per device.
func (d *Driver) Script() string { return objects.ShowAndEnd }

// ExpectDevices reads the environment of the container, with the devices of each request.
func (d *Driver) ExpectDevices(pod, container string, claim *resourceapi.ResourceClaim, requests ...string) {
	ginkgo.GinkgoHelper()
	environment := d.t.Environment(pod, container)
	if claim == nil {
		d.t.Expect(environment).To(matchers.SeeNothing(), "output of the driver in container %s of pod %s", container, pod)
		return
	}
	name := cmp.Or(claim.Annotations[resourceapi.PodResourceClaimAnnotation], claim.Name)
	devices := map[string][]string{}
	all := []string{}
	for _, r := range pools.Allocated(claim, d.Name, requests...) {
		devices[r.Request] = append(devices[r.Request], r.Device)
		all = append(all, r.Device)
	}
	for request, want := range devices {
		d.t.Expect(environment).To(matchers.SeeDevices(variable(name), variable(request), want...), "devices of request %s in container %s of pod %s", request, container, pod)
	}
	d.t.Expect(environment).To(matchers.SeeOnlyDevices(all...), "all devices of container %s of pod %s", container, pod)
}

// ExpectHeld ends the case unless a claim is prepared and was never unprepared.
func (d *Driver) ExpectHeld(claim *resourceapi.ResourceClaim) {
	ginkgo.GinkgoHelper()
	d.t.Expect(d.Holds(claim.UID)).To(gomega.BeTrue(), "whether claim %s is prepared", claim.Name)
	d.ExpectCalls(spec.Unprepare, claim.Name, 0, "")
}

// variable returns a name as part of an environment variable of dra-sim.
func variable(name string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, name)
}
