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
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters/progress/live"
	"github.com/dra-conformance/dratest/framework/spec"
)

// enough is the number of finished cases needed for an estimate from their median.
const enough = 3

// view is the live area: the progress of the run, and each case's step.
func (c *Console) view(now time.Time) live.View {
	text := fmt.Sprintf("%d of %d done", len(c.took), c.total)
	if c.failed > 0 {
		text += fmt.Sprintf(", %d failed", c.failed)
	}
	if left := c.left(now); left > 0 {
		text += fmt.Sprintf(", about %s left", left)
	}
	running := make([]spec.Progress, 0, len(c.running))
	for _, p := range c.running {
		running = append(running, p)
	}
	// The longest-running case is first, and stays in place.
	slices.SortFunc(running, func(a, b spec.Progress) int {
		if d := a.Time.Compare(b.Time); d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
	lines := make([]string, 0, len(running))
	for _, p := range running {
		lines = append(lines, fmt.Sprintf("%-*s %4s  %s", width-8, p.ID, now.Sub(p.Time).Round(time.Second), spec.Printable(p.Step)))
	}
	return live.View{Done: len(c.took), Total: c.total, Text: text, Lines: lines}
}

// left estimates the remaining time from the median duration of finished cases; zero means unknown.
func (c *Console) left(now time.Time) time.Duration {
	if len(c.took) < enough || len(c.took) >= c.total {
		return 0
	}
	sorted := slices.Sorted(slices.Values(c.took))
	median := sorted[len(sorted)/2]
	others := c.total - len(c.took)
	work := time.Duration(others) * median
	for _, p := range c.running {
		work -= min(median, now.Sub(p.Time))
	}
	work /= time.Duration(max(1, min(c.parallel, others)))
	if work < time.Minute {
		return work.Round(5 * time.Second)
	}
	return work.Round(time.Minute / 2)
}
