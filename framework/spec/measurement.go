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

package spec

import (
	"cmp"
	"math"
	"slices"
)

// Measurement is a measured number. It fails no case.
type Measurement struct {
	// Name is its name, as "prepare p99", and Unit its unit, as "s" or "bytes"; counts have none.
	Name  string  `json:"name"`
	Unit  string  `json:"unit,omitempty"`
	Value float64 `json:"value"`
	// Samples is how many values it was made of.
	Samples int `json:"samples"`
}

// Quantile is the smallest value not exceeded by the fraction q of all values; zero without values.
func Quantile[T cmp.Ordered](values []T, q float64) T {
	var zero T
	if len(values) == 0 {
		return zero
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

// The measurements of life/costs.
const (
	PrepareP50         = "prepare p50"
	PrepareP99         = "prepare p99"
	UnprepareP50       = "unprepare p50"
	UnprepareP99       = "unprepare p99"
	PodStart           = "pod start"
	PodStartWithout    = "pod start without claim"
	SliceWritesPerHour = "slice writes per hour"
	DriverMemory       = "memory"
	DriverFiles        = "file descriptors"
)

// ProcessUse is the current resource use of a process.
type ProcessUse struct {
	// Memory is the resident memory in bytes.
	Memory          uint64 `json:"memory"`
	FileDescriptors int    `json:"fileDescriptors"`
}
