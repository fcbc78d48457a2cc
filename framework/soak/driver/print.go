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

package driver

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/dra-conformance/dratest/reports/schema"
)

// Print writes the results for people.
func (r Results) Print(out io.Writer) {
	_, _ = fmt.Fprintf(out, "driver %s: %.3g pods per minute of %.3g requested, %d calls failed and were retried\n\n", r.Driver, r.Achieved, r.Rate, r.FailedCalls)
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, "MEASUREMENT\tVALUE\tLIMIT\tSAMPLES")
	for _, c := range r.Costs {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%d\n", c.Name, schema.Amount(c.Value, c.Unit), limitOf(c), c.Samples)
	}
	_ = table.Flush()
	_, _ = fmt.Fprintln(out)
	for _, g := range r.Growth {
		_, _ = fmt.Fprintf(out, "growth: %s\n", g)
	}
}

func limitOf(c schema.Cost) string {
	if c.Limit == nil {
		return "-"
	}
	return schema.Amount(*c.Limit, c.Unit)
}
