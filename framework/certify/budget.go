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
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

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
	return schema.WithLimits(measured, Limits(b))
}

// over returns the measurements exceeding the declaration.
func over(b declarations.Budget, measured []spec.Measurement) (failures []string) {
	for _, c := range costsOf(b, measured) {
		if c.Exceeds() {
			failures = append(failures, "the driver costs more than is declared, "+c.String())
		}
	}
	return failures
}

// Limits are the declared limits by name of the measurement.
func Limits(b declarations.Budget) map[string]float64 {
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
