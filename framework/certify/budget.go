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
	"fmt"
	"math"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// costText is as "prepare p50: 12.3ms (declared: at most 50ms)".
func costText(c schema.Cost) string {
	text := c.Name + ": " + amount(c.Value, c.Unit)
	if c.Limit != nil {
		text += " (declared: at most " + amount(*c.Limit, c.Unit) + ")"
	}
	return text
}

// exceeds reports whether the measured cost exceeds the declared one. For rare events, a declared hourly rate is
// rounded up to the next whole number in the observed time.
func exceeds(c schema.Cost) bool {
	if c.Limit == nil || c.Value <= *c.Limit {
		return false
	}
	return c.Name != spec.SliceWritesPerHour || float64(c.Samples) > math.Ceil(*c.Limit*float64(c.Samples)/c.Value)
}

// measured returns the measurements of costs, none without results of that case.
func (f facts) measured() []spec.Measurement {
	for _, c := range f.report.Cases {
		if c.ID == spec.CaseOfCosts {
			return c.Measured
		}
	}
	return nil
}

func costsOf(b declarations.Budget, measured []spec.Measurement) []schema.Cost {
	limits := limits(b)
	all := make([]schema.Cost, 0, len(measured))
	for _, m := range measured {
		c := schema.Cost{Measurement: m}
		if limit, declared := limits[m.Name]; declared {
			c.Limit = &limit
		}
		all = append(all, c)
	}
	return all
}

// over returns the measurements exceeding the declaration.
func over(b declarations.Budget, measured []spec.Measurement) (failures []string) {
	for _, c := range costsOf(b, measured) {
		if exceeds(c) {
			failures = append(failures, "the driver costs more than is declared, "+costText(c))
		}
	}
	return failures
}

// limits are the declared limits by name of the measurement.
func limits(b declarations.Budget) map[string]float64 {
	all := map[string]float64{}
	for name, d := range map[string]time.Duration{
		spec.PrepareP50: b.PrepareP50, spec.PrepareP99: b.PrepareP99, spec.UnprepareP50: b.UnprepareP50, spec.UnprepareP99: b.UnprepareP99,
		spec.PodStart: b.PodStart,
	} {
		if d > 0 {
			all[name] = d.Seconds()
		}
	}
	if b.SliceWritesPerHour != nil {
		all[spec.SliceWritesPerHour] = float64(*b.SliceWritesPerHour)
	}
	if q, err := resource.ParseQuantity(b.Memory); err == nil {
		all[spec.DriverMemory] = q.AsApproximateFloat64()
	}
	if b.FileDescriptors > 0 {
		all[spec.DriverFiles] = float64(b.FileDescriptors)
	}
	return all
}

func amount(value float64, unit string) string {
	switch unit {
	case "s":
		return time.Duration(math.Round(value*1e4) * 1e5).String()
	case "bytes":
		return fmt.Sprintf("%.1f MiB", value/(1<<20))
	default:
		return strings.TrimSpace(fmt.Sprintf("%.4g %s", value, unit))
	}
}
