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

package metrics_test

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/metrics"
)

func TestLabel(t *testing.T) {
	families, err := metrics.Parse(strings.NewReader("# TYPE up gauge\nup{node=\"a\"} 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"node": "a", "pod": ""} {
		if got := metrics.Label(families["up"].GetMetric()[0], name); got != want {
			t.Errorf("label %s is %q, want %q", name, got, want)
		}
	}
}

// This text made the parser panic, and the panic ended a case or a whole run.
func TestParserPanics(t *testing.T) {
	if _, err := metrics.Parse(strings.NewReader("# TYPE a histogram\n{le=\"1\"} 2\n")); err == nil || !strings.Contains(err.Error(), "parse metrics") {
		t.Errorf("got error %v", err)
	}
}

func TestParseNonsense(t *testing.T) {
	if _, err := metrics.Parse(strings.NewReader("<html>")); err == nil || !strings.Contains(err.Error(), "parse metrics: ") {
		t.Errorf("got error %v", err)
	}
}
