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

package pools

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Misfits returns how a node's devices differ from a template; none without a template. A device counts for the first
// matching part of the template.
func Misfits(template []spec.DeviceTemplate, devices []Device) []string {
	if len(template) == 0 {
		return nil
	}
	var problems []string
	have := make([]int, len(template))
	for _, d := range devices {
		var why []string
		fits := -1
		for i, part := range template {
			problem := misfit(part, d.Device)
			if problem == "" {
				fits = i
				break
			}
			why = append(why, problem)
		}
		if fits < 0 {
			problems = append(problems, fmt.Sprintf("device %s/%s is not in the template: %v", d.Pool, d.Name, why))
			continue
		}
		have[fits]++
	}
	for i, part := range template {
		if have[i] != part.Count {
			problems = append(problems, fmt.Sprintf("%d device(s) are as template[%d] says, which has %d", have[i], i, part.Count))
		}
	}
	return problems
}

// misfit returns why a device does not match a part of a template; empty if it does.
func misfit(part spec.DeviceTemplate, d resourceapi.Device) string {
	for _, name := range slices.Sorted(maps.Keys(part.Attributes)) {
		have, ok := d.Attributes[resourceapi.QualifiedName(name)]
		if want := part.Attributes[name]; !ok || text(have) != want {
			return fmt.Sprintf("attribute %s is %q, the template says %q", name, text(have), want)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(part.Capacity)) {
		have, ok := d.Capacity[resourceapi.QualifiedName(name)]
		want, err := resource.ParseQuantity(part.Capacity[name])
		if err != nil || !ok || have.Value.Cmp(want) != 0 {
			return fmt.Sprintf("capacity %s is %s, the template says %s", name, have.Value.String(), part.Capacity[name])
		}
	}
	return ""
}

// text is the value of an attribute; empty for lists, which templates do not support.
func text(a resourceapi.DeviceAttribute) string {
	switch {
	case a.StringValue != nil:
		return *a.StringValue
	case a.VersionValue != nil:
		return *a.VersionValue
	case a.IntValue != nil:
		return strconv.FormatInt(*a.IntValue, 10)
	case a.BoolValue != nil:
		return strconv.FormatBool(*a.BoolValue)
	default:
		return ""
	}
}
