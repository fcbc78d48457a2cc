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

package certify

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

func costly(b declarations.Budget, status spec.Status) facts {
	f := passed()
	f.declaration.Budget = b
	f.cases = append(f.cases[:1:1], schema.RequiredCase{ID: spec.CaseOfCosts, DriverProfile: spec.ProfileBudget})
	f.report.Cases = append(f.report.Cases[:1:1], schema.Case{ID: spec.CaseOfCosts, Status: status, Measured: []spec.Measurement{
		{Name: spec.PrepareP50, Unit: "s", Value: 0.0123, Samples: 12},
		{Name: spec.SliceWritesPerHour, Value: 60, Samples: 1},
		{Name: spec.DriverMemory, Unit: "bytes", Value: 48 << 20, Samples: 12},
		{Name: spec.DriverFiles, Value: 12, Samples: 12},
	}})
	return f
}

func TestBudget(t *testing.T) {
	none, one := 0, 1
	for _, tc := range []struct {
		name     string
		budget   declarations.Budget
		status   spec.Status
		want     schema.DriverVerdict
		failures []string
	}{
		{"kept", declarations.Budget{PrepareP50: 20 * time.Millisecond, Memory: "48Mi", FileDescriptors: 12}, spec.Passed, schema.DriverCertified, nil},
		{"too slow", declarations.Budget{PrepareP50: 10 * time.Millisecond}, spec.Passed, schema.DriverNotCertified,
			[]string{"the driver costs more than is declared, prepare p50: 12.3ms (declared: at most 10ms)"}},
		{"too much memory", declarations.Budget{Memory: "40Mi"}, spec.Passed, schema.DriverNotCertified,
			[]string{"the driver costs more than is declared, memory: 48.0 MiB (declared: at most 40.0 MiB)"}},
		{"too many files", declarations.Budget{FileDescriptors: 11}, spec.Passed, schema.DriverNotCertified,
			[]string{"the driver costs more than is declared, file descriptors: 12 (declared: at most 11)"}},
		{"none means none", declarations.Budget{SliceWritesPerHour: &none}, spec.Passed, schema.DriverNotCertified,
			[]string{"the driver costs more than is declared, slice writes per hour: 60 (declared: at most 0)"}},
		{"one in a minute may be one in an hour", declarations.Budget{SliceWritesPerHour: &one}, spec.Passed, schema.DriverCertified, nil},
		{"nothing declared", declarations.Budget{}, spec.Passed, "", nil},
		{"not measured", declarations.Budget{FileDescriptors: 100}, spec.Blocked, schema.DriverIncomplete, nil},
	} {
		j := judge(costly(tc.budget, tc.status))
		if got := j.Profiles[spec.ProfileBudget]; got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		if d := cmp.Diff(tc.failures, j.Failures); d != "" {
			t.Errorf("%s: want -, got +:\n%s", tc.name, d)
		}
		if j.Verdict == schema.DriverCertified && slices.ContainsFunc(j.Costs, schema.Cost.Exceeds) {
			t.Errorf("%s: certified with %v", tc.name, j.Costs)
		}
	}
}
