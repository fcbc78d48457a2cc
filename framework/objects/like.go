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

package objects

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// LikeDevice selects the devices with all the attributes of a published device; no selectors if it has none. List
// attributes are ignored.
func LikeDevice(driver string, device resourceapi.Device) []resourceapi.DeviceSelector {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(device.Attributes)) {
		domain, id, found := strings.Cut(string(name), "/")
		if !found {
			domain, id = driver, domain
		}
		value := ""
		switch a := device.Attributes[name]; {
		case a.StringValue != nil:
			value = strconv.Quote(*a.StringValue)
		case a.IntValue != nil:
			value = strconv.FormatInt(*a.IntValue, 10)
		case a.BoolValue != nil:
			value = strconv.FormatBool(*a.BoolValue)
		case a.VersionValue != nil:
			value = fmt.Sprintf("semver(%q)", *a.VersionValue)
		default:
			continue
		}
		parts = append(parts, fmt.Sprintf("%q in device.attributes[%q] && device.attributes[%q][%q] == %s", id, domain, domain, id, value))
	}
	if len(parts) == 0 {
		return nil
	}
	return []resourceapi.DeviceSelector{Selector(strings.Join(parts, " && "))}
}
