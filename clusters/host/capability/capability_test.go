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

package capability_test

import (
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/clusters/host/capability"
)

func TestMissing(t *testing.T) {
	tests := []struct {
		name, status string
		last         int
		want         []string
	}{
		{"full set", "CapEff:\t0\nCapBnd:\t000001ffffffffff\n", 40, nil},
		{"no SYS_RESOURCE", "Name:\tx\nCapBnd:\t000001fffeffffff\nCapAmb:\t0\n", 40, []string{"CAP_SYS_RESOURCE"}},
		{"two", "CapBnd:\t000001fefeffffff\n", 40, []string{"CAP_SYS_RESOURCE", "CAP_MAC_OVERRIDE"}},
		{"older kernel has fewer", "CapBnd:\t0000003fffffffff\n", 37, nil},
		{"newer kernel has one without a name here", "CapBnd:\t000001ffffffffff\n", 41, []string{"CAP_41"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set, err := capability.Parse(test.status)
			if err != nil {
				t.Fatal(err)
			}
			if got := set.Missing(test.last); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, status := range []string{"", "CapBnd:\n", "CapBnd:\txyz\n", "CapEff:\t1\n"} {
		if _, err := capability.Parse(status); err == nil {
			t.Errorf("%q: no error", status)
		}
	}
}

func TestLacks(t *testing.T) {
	set := capability.Bounding(1 << 21)
	for name, want := range map[string]bool{"CAP_SYS_ADMIN": false, "CAP_CHOWN": true, "CAP_OF_TOMORROW": false} {
		if got := set.Lacks(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestReadSelf(t *testing.T) {
	if set, err := capability.Read("self"); err != nil || set == 0 {
		t.Errorf("got %x, %v", set, err)
	}
}
