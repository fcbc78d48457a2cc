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

package oracle

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// value is an attribute's type and value. Versions have no build metadata (semver.org 2.0.0,
// section 10).
type value struct {
	kind, text string
}

// attribute returns the value of a device's attribute. Lists are open: comparing them is a feature
// disabled by default.
func attribute(d *device, name resourceapi.FullyQualifiedName) (value, answer) {
	a, ok := d.Attributes[resourceapi.QualifiedName(name)]
	if !ok {
		local, own := strings.CutPrefix(string(name), d.id.driver+"/")
		if a, ok = d.Attributes[resourceapi.QualifiedName(local)]; !own || !ok {
			return value{}, no
		}
	}
	switch {
	case a.IntValue != nil:
		return value{"int", fmt.Sprint(*a.IntValue)}, yes
	case a.BoolValue != nil:
		return value{"bool", fmt.Sprint(*a.BoolValue)}, yes
	case a.StringValue != nil:
		return value{"string", *a.StringValue}, yes
	case a.VersionValue != nil:
		version, _, _ := strings.Cut(*a.VersionValue, "+")
		return value{"version", version}, yes
	}
	return value{}, open
}

// agrees reports whether a set of devices satisfies a constraint.
func agrees(c *resourceapi.DeviceConstraint, devices []*device) answer {
	name := c.MatchAttribute
	if name == nil {
		name = c.DistinctAttribute
	}
	if name == nil {
		return open
	}
	result := yes
	seen := map[value]bool{}
	for _, d := range devices {
		v, ok := attribute(d, *name)
		if ok == no {
			return no
		}
		result = min(result, ok)
		if c.MatchAttribute == nil && seen[v] && ok == yes {
			return no
		}
		if ok == yes {
			seen[v] = true
		}
	}
	if c.MatchAttribute != nil && len(seen) > 1 {
		return no
	}
	return result
}
