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
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	values := []time.Duration{4, 1, 3, 2}
	for q, want := range map[float64]time.Duration{0: 1, 0.25: 1, 0.26: 2, 0.5: 2, 0.9: 4, 1: 4} {
		if got := Quantile(values, q); got != want {
			t.Errorf("quantile %g: got %d, want %d", q, got, want)
		}
	}
	if got := Quantile([]float64{}, 0.5); got != 0 {
		t.Errorf("of no values: got %g", got)
	}
}
