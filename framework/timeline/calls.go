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

package timeline

import (
	"fmt"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Calls returns the entries of the kubelet's calls to the driver on a node: each from its start to its answer, with
// the result for each claim.
func Calls(calls []spec.Call, node string) []spec.TimelineEntry {
	entries := make([]spec.TimelineEntry, 0, len(calls))
	for _, c := range calls {
		e := spec.TimelineEntry{Time: c.Start, Took: c.Took, Open: c.InProgress, Source: spec.FromDriver, Object: node}
		parts := []string{fmt.Sprintf("%s (%s)", c.Method, c.GRPC)}
		for _, claim := range c.Claims {
			parts = append(parts, answer(c, claim))
			if claim.Error != "" {
				e.Severity = spec.SeverityError
			}
		}
		if c.Error != "" {
			parts = append(parts, "failed: "+c.Error)
			e.Severity = spec.SeverityError
		}
		if c.Fault != "" {
			parts = append(parts, "scripted fault "+string(c.Fault))
		}
		e.Text = strings.Join(parts, "; ")
		entries = append(entries, e)
	}
	return entries
}

func answer(call spec.Call, claim spec.ClaimCall) string {
	text := "claim " + claim.Name
	switch {
	case claim.Error != "":
		return text + ": error: " + claim.Error
	case len(claim.CDIDevices) > 0:
		return text + ": " + strings.Join(claim.CDIDevices, ", ")
	case call.InProgress:
		return text + ": no answer yet"
	}
	return text
}
