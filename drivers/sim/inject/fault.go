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

package inject

import (
	"strings"

	cdispec "tags.cncf.io/container-device-interface/specs-go"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Fault applies a fault to a claim's spec; kinds not about the spec change nothing.
func Fault(claim *cdispec.Spec, kind spec.FaultKind) {
	for i := range claim.Devices {
		var lines []string
		for _, line := range claim.Devices[i].ContainerEdits.Env {
			if line = faultyLine(line, kind); line != "" {
				lines = append(lines, line)
			}
		}
		claim.Devices[i].ContainerEdits.Env = lines
	}
}

// faultyLine returns the faulty "name=value"; empty to drop it.
func faultyLine(line string, kind spec.FaultKind) string {
	name, value, _ := strings.Cut(line, "=")
	claims, user, admin := strings.HasPrefix(name, "claim_"), strings.HasPrefix(name, "user_"), strings.HasPrefix(name, "admin_")
	switch {
	case kind == spec.FaultOtherDevice && claims:
		return name + "=not-" + strings.ReplaceAll(value, ",", ",not-")
	case kind == spec.FaultNoParameters && (user || admin):
		return ""
	case kind == spec.FaultMixedParameters && user:
		return "admin_" + strings.TrimPrefix(line, "user_")
	case kind == spec.FaultMixedParameters && admin:
		return "user_" + strings.TrimPrefix(line, "admin_")
	default:
		return line
	}
}
