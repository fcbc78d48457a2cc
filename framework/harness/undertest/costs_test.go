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

package undertest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestMeasurements(t *testing.T) {
	ms := func(values ...int) (all []time.Duration) {
		for _, v := range values {
			all = append(all, time.Duration(v)*time.Millisecond)
		}
		return all
	}
	got := costs{
		prepare: ms(30, 10, 20), unprepare: ms(4, 2), with: ms(900, 700, 800), without: ms(500, 600, 400),
		use:    []spec.ProcessUse{{Memory: 5, FileDescriptors: 9}, {Memory: 7, FileDescriptors: 8}},
		writes: 3, watched: 30 * time.Minute,
	}.measurements()
	want := []spec.Measurement{
		{Name: "prepare p50", Unit: "s", Value: 0.02, Samples: 3}, {Name: "prepare p99", Unit: "s", Value: 0.03, Samples: 3},
		{Name: "unprepare p50", Unit: "s", Value: 0.002, Samples: 2}, {Name: "unprepare p99", Unit: "s", Value: 0.004, Samples: 2},
		{Name: "pod start", Unit: "s", Value: 0.3, Samples: 3}, {Name: "pod start without claim", Unit: "s", Value: 0.5, Samples: 3},
		{Name: "slice writes per hour", Value: 6, Samples: 3},
		{Name: "memory", Unit: "bytes", Value: 7, Samples: 2}, {Name: "file descriptors", Value: 9, Samples: 2},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}
