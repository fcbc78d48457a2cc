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

package verify

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Ginkgo's output has different forms with one and with several processes.
func TestReadLog(t *testing.T) {
	const rule = "------------------------------\n"
	for name, tc := range map[string]struct {
		log  string
		want map[string][]bool
	}{
		"several processes":     {rule + "• [3.1 seconds]\ncore/a It does. [core]\nx.go:1\n" + rule, map[string][]bool{"core/a": {true}}},
		"in a container":        {rule + "  Progress:\n node/b It is.\n• [3.1 seconds]\n core/a It does. [core]\nx.go:1\n" + rule, map[string][]bool{"core/a": {true}}},
		"failed in a container": {rule + "• [FAILED] [3.1 seconds]\n [It] core/a It does. [core]\nx.go:1\n" + rule, map[string][]bool{"core/a": {false}}},
		"one process":           {rule + "core/a It does. [core]\nx.go:1\n  step\n• [3.1 seconds]\n" + rule, map[string][]bool{"core/a": {true}}},
		"failed":                {rule + "• [FAILED] [3.1 seconds]\n[It] core/a It does. [core]\nx.go:1\n" + rule, map[string][]bool{"core/a": {false}}},
		"after it ended":        {rule + "• [FAILED] [3.1 seconds]\nTOP-LEVEL [DeferCleanup (Each)] core/a It does. [core]\n" + rule, map[string][]bool{"core/a": {false}}},
		"panicked":              {rule + "core/a It does.\n• [PANICKED!] [3.1 seconds]\n[It] core/a It does.\n" + rule, map[string][]bool{"core/a": {false}}},
		"progress in the middle": {rule + "core/a It does.\n  Automatically polling progress:\n  " + rule + "• [FAILED] [61.0 seconds]\n[It] core/a It does.\n" + rule,
			map[string][]bool{"core/a": {false}}},
		"two attempts":      {rule + "• [FAILED] [3.1 seconds]\n[It] core/a It.\n" + rule + "Running Suite: x\n" + rule + "• [3.1 seconds]\ncore/a It.\n" + rule, map[string][]bool{"core/a": {false, true}}},
		"what is no case":   {rule + "[ReportAfterSuite] PASSED [0.001 seconds]\n[ReportAfterSuite] dratest\n" + rule, map[string][]bool{}},
		"a case's own text": {rule + "• [3.1 seconds]\ncore/a It does.\n  core/b is not there\n" + rule, map[string][]bool{"core/a": {true}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string][]bool{}
			for id, entries := range readLog(tc.log) {
				for _, e := range entries {
					got[id] = append(got[id], e.passed)
				}
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
