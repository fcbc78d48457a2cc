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

package host

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCDIDevicesOfContainer(t *testing.T) {
	for _, tc := range []struct {
		name, info string
		want       []string
		fails      bool
	}{
		{"two", `{"pid": 1, "config": {"metadata": {"name": "main"}, "CDI_devices": [{"name": "v/c=a"}, {"name": "v/c=b"}]}}`, []string{"v/c=a", "v/c=b"}, false},
		{"none", `{"config": {"metadata": {"name": "main"}}}`, []string{}, false},
		{"not told", `{"pid": 1}`, nil, true},
		{"no JSON", ``, nil, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := cdiDevices(map[string]string{"info": tc.info})
			if d := cmp.Diff(tc.want, got); d != "" || (err != nil) != tc.fails {
				t.Error(err, d)
			}
		})
	}
}
