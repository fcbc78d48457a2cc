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

package allocator_test

import (
	"testing"

	"github.com/dra-conformance/dratest/implementation/allocator"
)

func TestSummary(t *testing.T) {
	for want, r := range map[string]allocator.Reason{
		"claim ns/c, request r wants 1 device, the node has none":                                         {Wanted: 1},
		"claim ns/c, request r wants 1 device, the node has none; pools are being updated":                {Wanted: 1, Incomplete: 2},
		"claim ns/c, request r wants 1 device, none matches its selectors":                                {Wanted: 1, Devices: 3},
		"claim ns/c, request r wants 3 devices, too few match its selectors":                              {Wanted: 3, Devices: 3, Matching: 2, Allocated: 2},
		"claim ns/c, request r wants 2 devices, most matching devices are allocated":                      {Wanted: 2, Devices: 3, Matching: 3, Allocated: 1, Tainted: 1},
		"claim ns/c, request r wants 2 devices, most matching devices are tainted":                        {Wanted: 2, Devices: 9, Matching: 5, Allocated: 1, Tainted: 3},
		"claim ns/c, request r wants 2 devices, most matching devices are without enough capacity":        {Wanted: 2, Devices: 9, Matching: 5, Capacity: 4},
		"claim ns/c, request r wants 2 devices, most matching devices are without enough shared counters": {Wanted: 2, Devices: 9, Matching: 5, Counters: 4},
		"claim ns/c, request r wants all devices, most matching devices are excluded by constraints":      {Wanted: 5, All: true, Devices: 9, Matching: 5, Constraints: 4},
	} {
		r.Claim, r.Request = "ns/c", "r"
		if got := r.Summary().String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
