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

package pools

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
)

func TestBroken(t *testing.T) {
	for name, tc := range map[string]struct {
		state []resourceapi.ResourceSlice
		want  []string
	}{
		"nothing":          {nil, nil},
		"whole":            {[]resourceapi.ResourceSlice{slice("d", "p", 1, 2, named("a")...), slice("d", "p", 1, 2, named("b")...)}, nil},
		"on its way":       {[]resourceapi.ResourceSlice{slice("d", "p", 1, 2, named("a")...), slice("d", "p", 2, 2, named("a")...)}, nil},
		"too many":         {[]resourceapi.ResourceSlice{slice("d", "p", 1, 1, named("a")...), slice("d", "p", 1, 1, named("b")...)}, []string{"pool p, generation 1: there are 2 slices, which say that there are 1"}},
		"different":        {[]resourceapi.ResourceSlice{slice("d", "p", 1, 2), slice("d", "p", 1, 3)}, []string{"pool p, generation 1: one slice says that there are 2, another one 3"}},
		"twice":            {[]resourceapi.ResourceSlice{slice("d", "p", 1, 2, named("a")...), slice("d", "p", 1, 2, named("a")...)}, []string{"pool p, generation 1: device a is there twice"}},
		"another driver's": {[]resourceapi.ResourceSlice{slice("x", "p", 1, 2), slice("x", "p", 1, 3)}, nil},
	} {
		if d := cmp.Diff(tc.want, Broken("d", tc.state)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
