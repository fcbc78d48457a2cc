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

package console

import (
	"fmt"
	"io"
	"strings"

	"github.com/dra-conformance/dratest/reports/schema"
)

// Sides has runs to print side by side.
type Sides struct {
	Differences []Difference
	Sides       []Side
}

// Side is one of the runs.
type Side struct {
	Name   string
	Report schema.Report
	// Err is why there is no report, or no reliable verdict.
	Err error
}

// Difference is a case with different results, and where they occurred.
type Difference struct {
	Case string
	Came []string
}

// Matrix prints the differences first, then a line for each run.
func Matrix(out io.Writer, s Sides) {
	var b strings.Builder
	reports := 0
	for _, side := range s.Sides {
		if side.Report.SchemaVersion != "" {
			reports++
		}
	}
	switch {
	case reports < 2:
		b.WriteString("\nthere are no two reports that could be compared\n")
	case len(s.Differences) == 0:
		fmt.Fprintf(&b, "\nall cases came to the same in these %d runs\n", reports)
	default:
		fmt.Fprintf(&b, "\ncases that did not come to the same in these %d runs: %d\n", reports, len(s.Differences))
	}
	for _, d := range s.Differences {
		fmt.Fprintf(&b, "differs %-*s %s\n", width, d.Case, strings.Join(d.Came, "; "))
	}
	b.WriteString("\n")
	for _, side := range s.Sides {
		if r := side.Report; r.SchemaVersion != "" {
			fmt.Fprintf(&b, "%s: %s (median %.1fs, whole run %.1fs): %s\n", side.Name, r.Summary, r.Summary.MedianSeconds, r.DurationSeconds, verdict(r))
		}
		if side.Err != nil {
			fmt.Fprintf(&b, "%s: %s\n", side.Name, oneLine(side.Err.Error()))
		}
	}
	_, _ = io.WriteString(out, b.String())
}
