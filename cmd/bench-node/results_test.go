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

package main

import (
	"strings"
	"testing"
)

// measured is a comparison whose second side takes so many times what the first does, in
// two rounds.
func measured(first, second float64) comparison {
	both := func(v float64) []float64 { return []float64{v * first, v * second} }
	return comparison{
		Kubelets: sides[kubeletResult]{
			Stock: kubeletResult{Start: []float64{1, 1}, Slowest: 2, Prepare: []float64{0.01, 0.01}, Call: []float64{0.001, 0.001}, Resident: []float64{80 * mib, 80 * mib}, Restart: []float64{9, 9}},
			Own:   kubeletResult{Start: both(1), Slowest: 2 * second, Prepare: both(0.01), Call: both(0.001), Resident: both(80 * mib), Restart: both(9)},
		},
		Controllers: sides[controllerResult]{
			Stock: controllerResult{Waiting: []float64{100, 100}, Arriving: []float64{50, 50}, Resident: []float64{50 * mib, 50 * mib}},
			Own:   controllerResult{Waiting: both(100), Arriving: both(50), Resident: both(50 * mib)},
		},
	}
}

// A ratio of 1.03 was printed as if it were more than what two stock kubelets differ by.
func TestSpreadOfTheControlStandsBesideEachRatio(t *testing.T) {
	control := measured(0.8, 1.25)
	var out strings.Builder
	results{comparison: measured(0.5, 0.5), Control: &control}.print(&out)
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")
	if got, want := rows[len(rows)-2], "node: start=2.00 create=0.50 kubelet-rss=2.00 restart=2.00 controller-rss=2.00"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := rows[len(rows)-1], "control: start=0.80 to 1.25 create=0.80 to 1.25 kubelet-rss=0.80 to 1.25 restart=0.80 to 1.25 controller-rss=0.80 to 1.25"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, row := range rows[1:10] {
		if !strings.Contains(row, " to ") && !strings.Contains(row, "slowest") {
			t.Errorf("no spread in %q", row)
		}
	}
	out.Reset()
	results{comparison: measured(0.5, 0.5)}.print(&out)
	if strings.Contains(out.String(), "control:") || strings.Contains(out.String(), " to ") {
		t.Errorf("a control that there was not:\n%s", out.String())
	}
}
