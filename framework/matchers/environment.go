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

package matchers

import (
	"slices"
	"strings"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
)

// SeeDevices matches the environment of a container, as names and values, that the
// test driver told of exactly these devices for a request of a claim, in the order
// of the allocation. The claim goes by the pod's name for it if it was made from a
// template.
func SeeDevices(claim, request string, devices ...string) types.GomegaMatcher {
	return gomega.WithTransform(fromDriver, gomega.HaveKeyWithValue("claim_"+claim+"_"+request, strings.Join(devices, ",")))
}

// SeeRequest matches the environment of a container that the test driver told of
// any device for a request of a claim.
func SeeRequest(claim, request string) types.GomegaMatcher {
	return gomega.WithTransform(fromDriver, gomega.HaveKey("claim_"+claim+"_"+request))
}

// SeeOnlyDevices matches the environment of a container that the test driver told
// of exactly these devices, in any order, whatever the claims and requests are.
func SeeOnlyDevices(devices ...string) types.GomegaMatcher {
	return gomega.WithTransform(DevicesIn, gomega.ConsistOf(devices))
}

// DevicesIn are the devices of which the test driver told a container, by the
// container's environment, in order of their names.
func DevicesIn(environment map[string]string) []string {
	devices := []string{}
	for name, value := range environment {
		if strings.HasPrefix(name, "claim_") {
			devices = append(devices, strings.Split(value, ",")...)
		}
	}
	slices.Sort(devices)
	return devices
}

// SeeDevicePlugin matches the environment of a container that got a device of this
// ID through the kubelet's device plugin API.
func SeeDevicePlugin(device string) types.GomegaMatcher {
	return gomega.WithTransform(fromDriver, gomega.HaveKeyWithValue("dratest_device_plugin", device))
}

// SeeNothing matches the environment of a container that the test driver told
// nothing at all.
func SeeNothing() types.GomegaMatcher {
	return gomega.WithTransform(fromDriver, gomega.BeEmpty())
}

// SeeClaimParameter matches the environment of a container whose device was
// prepared with this parameter of the claim.
func SeeClaimParameter(key, value string) types.GomegaMatcher {
	return gomega.WithTransform(fromDriver, gomega.HaveKeyWithValue("user_"+key, value))
}

// SeeClassParameter matches the environment of a container whose device was
// prepared with this parameter of the class.
func SeeClassParameter(key, value string) types.GomegaMatcher {
	return gomega.WithTransform(fromDriver, gomega.HaveKeyWithValue("admin_"+key, value))
}

// fromDriver leaves out what does not come from the test driver, so that failures
// show what matters.
func fromDriver(environment map[string]string) map[string]string {
	// What the variables of drivers/sim/inject start with.
	prefixes := []string{"claim_", "pool_", "adminaccess_", "user_", "admin_", "dratest_"}
	out := map[string]string{}
	for name, value := range environment {
		for _, p := range prefixes {
			if strings.HasPrefix(name, p) {
				out[name] = value
			}
		}
	}
	return out
}
