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

package chart

import (
	"fmt"
	"testing"
)

// A constant value is in the middle of its axis.
func TestAxisOfOneValue(t *testing.T) {
	for _, value := range []float64{0, 0.001, -3} {
		a := Axis{}
		a.fit([]float64{value, value})
		if got := a.part(value); got != 0.5 || len(a.Ticks) == 0 {
			t.Errorf("%g is at %g, with ticks %v", value, got, a.Ticks)
		}
	}
}

// A wide logarithmic axis has powers of ten, a narrow one round numbers.
func TestTicks(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      string
	}{{1, 1000, "[1 10 100 1000]"}, {10, 30, "[10 15 20 25 30]"}} {
		a := Axis{Logarithmic: true}
		a.fit([]float64{test.low, test.high})
		var labels []string
		for _, tick := range a.Ticks {
			labels = append(labels, tick.Label)
		}
		if got := fmt.Sprint(labels); got != test.want {
			t.Errorf("%g to %g: got %s, want %s", test.low, test.high, got, test.want)
		}
	}
}
