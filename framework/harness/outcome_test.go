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

package harness

import (
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2/types"
)

func TestLocate(t *testing.T) {
	trace := `runtime/panic.go:860 +0x13a
panic({0x1, 0x2})
	/usr/lib/go/src/runtime/panic.go:860 +0x13a
github.com/dra-conformance/dratest/framework/harness.(*T).Get(...)
	github.com/dra-conformance/dratest/framework/harness/t.go:12 +0x10
github.com/dra-conformance/dratest/suites/core.init.func7(0x3)
	github.com/dra-conformance/dratest/suites/core/count.go:27 +0x1c5
github.com/dra-conformance/dratest/suites/core.init.func6(0x3)
	github.com/dra-conformance/dratest/suites/core/outer.go:1 +0x1`
	for _, tc := range []struct {
		name string
		at   types.CodeLocation
		want string
	}{
		{"in a case", types.CodeLocation{FileName: "/home/me/suites/dratest/suites/core/count.go", LineNumber: 7}, "suites/core/count.go:7"},
		{"panic below a case", types.CodeLocation{FileName: "/usr/lib/go/src/runtime/panic.go", LineNumber: 860, FullStackTrace: trace}, "suites/core/count.go:27"},
		{"harness below a case", types.CodeLocation{FileName: "/x/framework/harness/t.go", LineNumber: 12, FullStackTrace: trace}, "suites/core/count.go:27"},
		{"harness alone", types.CodeLocation{FileName: "/x/framework/harness/lifecycle.go", LineNumber: 3}, "framework/harness/lifecycle.go:3"},
		{"suites' own test is no case", types.CodeLocation{
			FileName: "/x/framework/harness/t.go", LineNumber: 1, FullStackTrace: "f()\n\t/x/suites/suites_test.go:9 +0x1",
		}, "framework/harness/t.go:1"},
		{"what runs a suite is no case", types.CodeLocation{
			FileName: "/x/framework/harness/t.go", LineNumber: 1, FullStackTrace: "f()\n\t/x/framework/run/specs.go:9 +0x1",
		}, "framework/harness/t.go:1"},
		{"nowhere", types.CodeLocation{}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := locate("core/count", tc.at); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFailureText(t *testing.T) {
	late := &types.AdditionalFailure{Failure: types.Failure{Message: "wait for pod"}}
	for _, tc := range []struct {
		name   string
		report types.SpecReport
		want   string
	}{
		{"one", types.SpecReport{Failure: types.Failure{Message: "a"}}, "a"},
		{"panic", types.SpecReport{Failure: types.Failure{Message: "Test Panicked", ForwardedPanic: "oops"}}, "Test Panicked: oops"},
		{"after the time was up", types.SpecReport{Failure: types.Failure{Message: "too long", AdditionalFailure: late}}, "too long\nthen: wait for pod"},
		{"in cleanup, too", types.SpecReport{
			Failure:            types.Failure{Message: "a"},
			AdditionalFailures: []types.AdditionalFailure{{Failure: types.Failure{Message: "b"}}, {Failure: types.Failure{Message: "c"}}},
		}, "a\nthen: b\nthen: c"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := failureText(tc.report); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestLastStep(t *testing.T) {
	start := time.Now()
	steps := []step{{start, "set up"}, {start.Add(time.Second), "  pod runs"}, {start.Add(3 * time.Second), "clean up"}}
	for _, tc := range []struct {
		name   string
		failed time.Time
		want   string
	}{
		{"in the case", start.Add(2 * time.Second), "pod runs"},
		{"in cleanup", start.Add(4 * time.Second), "clean up"},
		{"time not known", time.Time{}, "clean up"},
		{"before the first", start.Add(-time.Second), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := lastStep(steps, tc.failed); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
