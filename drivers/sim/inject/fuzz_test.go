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

package inject

import "testing"

// FuzzHanded checks that a handle in a claim, which anyone may have written, has only possible environment variables.
func FuzzHanded(f *testing.F) {
	f.Add([]byte(`{"kind":"` + allocationConfig + `","resourceHandle":"{\"environment\":{\"A\":\"b\"}}"}`))
	f.Add([]byte(`{"kind":"` + allocationConfig + `","resourceHandle":"{\"environment\":{\"\":\"b\",\"A=B\":\"\\u0000\"}}"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		environment, err := handed(raw)
		if err != nil {
			return
		}
		for key, value := range environment {
			if err := checkVariable(key, value); err != nil {
				t.Error(err)
			}
		}
	})
}
