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

// SeeDevices matches a container's environment, by name and value, with exactly these devices of the test driver for
// a request of a claim, in allocation order. A claim from a template has the pod's name for it.
func SeeDevices(claim, request string, devices ...string) types.GomegaMatcher {
	return gomega.WithTransform(fromDriver, gomega.HaveKeyWithValue("claim_"+claim+"_"+request, strings.Join(devices, ",")))
}

// SeeRequest matches a container's environment with any device of the test driver for a request of a claim.
func SeeRequest(claim, request string) types.GomegaMatcher {
	return gomega.WithTransform(fromDriver, gomega.HaveKey("claim_"+claim+"_"+request))
}

// SeeOnlyDevices matches a container's environment with exactly these devices of the test driver, in any order, for
// any claims and requests.
func SeeOnlyDevices(devices ...string) types.GomegaMatcher {
	return gomega.WithTransform(DevicesIn, gomega.ConsistOf(devices))
}

// DevicesIn returns the test driver's devices in a container's environment, in order of their names.
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

// SeeDevicePlugin matches the environment of a container with this device of the device plugin API.
func SeeDevicePlugin(device string) types.GomegaMatcher {
	return gomega.WithTransform(fromDriver, gomega.HaveKeyWithValue("dratest_device_plugin", device))
}

// SeeNothing matches a container's environment without any variable of the test driver.
func SeeNothing() types.GomegaMatcher {
	return gomega.WithTransform(fromDriver, gomega.BeEmpty())
}

// SeeClaimParameter matches the environment of a container with a device prepared with this claim parameter.
func SeeClaimParameter(key, value string) types.GomegaMatcher {
	return gomega.WithTransform(fromDriver, gomega.HaveKeyWithValue("user_"+key, value))
}

// SeeClassParameter matches the environment of a container with a device prepared with this class parameter.
func SeeClassParameter(key, value string) types.GomegaMatcher {
	return gomega.WithTransform(fromDriver, gomega.HaveKeyWithValue("admin_"+key, value))
}

// fromDriver keeps only the test driver's variables, for short failure messages.
func fromDriver(environment map[string]string) map[string]string {
	// Prefixes of the variables of drivers/sim/inject.
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
