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

package generate

import (
	resourceapi "k8s.io/api/resource/v1"
)

// The lists are fixed, to avoid compilation time in both allocators.
var (
	// safe expressions have a result for every device.
	safe = []string{ //nolint:gochecknoglobals // a table
		`true`,
		`device.driver == "gpu.example.com"`,
		`device.driver == "gpu.example.com"`,
		`device.driver == "nic.example.com"`,
		`device.driver != "cpu.example.com"`,
		`device.driver.endsWith(".example.com")`,
		`device.attributes["gpu.example.com"].?model.orValue("") == "big"`,
		`device.attributes["gpu.example.com"].?model.orValue("") == "small"`,
		`device.attributes["gpu.example.com"].?model.orValue("") != "big"`,
		`device.attributes[device.driver].?model.orValue("") == "big"`,
		`device.attributes[device.driver].?model.orValue("") == "small"`,
		`device.attributes[device.driver].?numa.orValue(0) == 0`,
		`device.attributes[device.driver].?numa.orValue(0) == 1`,
		`device.attributes[device.driver].?numa.orValue(0) < 2`,
		`device.attributes[device.driver].?ecc.orValue(false)`,
		`!device.attributes[device.driver].?ecc.orValue(false)`,
		`"firmware" in device.attributes[device.driver]`,
		`"model" in device.attributes["gpu.example.com"] && device.attributes["gpu.example.com"].model == "big"`,
		`"firmware" in device.attributes[device.driver] && device.attributes[device.driver].firmware.isGreaterThan(semver("1.1.0"))`,
		`device.attributes["dra.example.net"].?pcie.orValue("") == "p0"`,
		`device.attributes["dra.example.net"].?pcie.orValue("p1") in ["p1", "p2"]`,
		`"memory" in device.capacity[device.driver]`,
		`"memory" in device.capacity[device.driver] && device.capacity[device.driver].memory.compareTo(quantity("8Gi")) >= 0`,
		`"cores" in device.capacity[device.driver] && device.capacity[device.driver].cores.isGreaterThan(quantity("1"))`,
		`device.allowMultipleAllocations == true`,
		`device.allowMultipleAllocations == false`,
		`device.attributes[device.driver].?model.orValue("") == "big" || device.attributes[device.driver].?ecc.orValue(false)`,
		`["big", "small"].exists(m, m == device.attributes[device.driver].?model.orValue("none"))`,
	}
	// never matches any device.
	never = []string{ //nolint:gochecknoglobals // a table
		`false`,
		`device.driver == "unknown.example.com"`,
		`device.attributes[device.driver].?model.orValue("") == "huge"`,
	}
	// risky expressions fail for some devices.
	risky = []string{ //nolint:gochecknoglobals // a table
		`device.attributes["gpu.example.com"].model == "big"`,
		`device.attributes[device.driver].numa == 0`,
		`device.attributes[device.driver].ecc`,
		`device.attributes["dra.example.net"].pcie == "p0"`,
		`device.capacity[device.driver].memory.compareTo(quantity("8Gi")) >= 0`,
		`device.attributes["nic.example.com"].firmware.isLessThan(semver("2.0.0"))`,
	}
	// malformed expressions do not compile.
	malformed = []string{ //nolint:gochecknoglobals // a table
		`device.unknown == 1`,
		`device.driver ==`,
		`"not a bool"`,
	}
)

func (g *generator) selectors(k knob) []resourceapi.DeviceSelector {
	if !g.knobs[k] && !g.knobs[riskySelectors] || g.chance(30) {
		return nil
	}
	var all []resourceapi.DeviceSelector
	for range pick(g, 1, 1, 1, 2) {
		all = append(all, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: g.expression()}})
	}
	return all
}

func (g *generator) expression() string {
	switch kind := g.IntN(1000); {
	case g.knobs[riskySelectors] && kind < 400:
		return pick(g, risky...)
	case g.knobs[riskySelectors] && !g.stored && kind < 430:
		return pick(g, malformed...)
	case kind < 450 && kind >= 430:
		return pick(g, never...)
	}
	return pick(g, safe...)
}
