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

package schema

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Cost is a measurement with its declared limit.
type Cost struct {
	spec.Measurement

	// Limit is nil if nothing is declared.
	Limit *float64 `json:"limit,omitempty"`
}

// WithLimits adds the limits by name of the measurement.
func WithLimits(measured []spec.Measurement, limits map[string]float64) []Cost {
	all := make([]Cost, 0, len(measured))
	for _, m := range measured {
		c := Cost{Measurement: m}
		if limit, declared := limits[m.Name]; declared {
			c.Limit = &limit
		}
		all = append(all, c)
	}
	return all
}

// String is as "prepare p50: 12.3ms (declared: at most 50ms)".
func (c Cost) String() string {
	text := c.Name + ": " + Amount(c.Value, c.Unit)
	if c.Limit != nil {
		text += " (declared: at most " + Amount(*c.Limit, c.Unit) + ")"
	}
	return text
}

// Exceeds reports whether the measured cost exceeds the declared one. For rare events, a declared hourly rate is
// rounded up to the next whole number in the observed time.
func (c Cost) Exceeds() bool {
	if c.Limit == nil || c.Value <= *c.Limit {
		return false
	}
	return c.Name != spec.SliceWritesPerHour || float64(c.Samples) > math.Ceil(*c.Limit*float64(c.Samples)/c.Value)
}

// Amount is a value with its unit.
func Amount(value float64, unit string) string {
	switch unit {
	case "s":
		return time.Duration(math.Round(value*1e4) * 1e5).String()
	case "bytes":
		return fmt.Sprintf("%.1f MiB", value/(1<<20))
	default:
		return strings.TrimSpace(fmt.Sprintf("%.4g %s", value, unit))
	}
}
