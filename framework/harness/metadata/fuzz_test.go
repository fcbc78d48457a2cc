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

package metadata

import "testing"

// FuzzReadMetadata checks that a driver's metadata file has known versions, or is refused.
func FuzzReadMetadata(f *testing.F) {
	f.Add(inBeta + "\n" + inAlpha + "\n")
	f.Add(inLater + inBeta)
	f.Add(`{"kind":"DeviceMetadata","apiVersion":"metadata.resource.k8s.io/v1beta1","requests":[null,{"devices":[null]}]}null`)
	f.Fuzz(func(t *testing.T, content string) {
		all, err := readMetadata(content)
		if err == nil && len(all) == 0 {
			t.Error("accepted without a version")
		}
		for _, one := range all {
			if one.version == "" {
				t.Errorf("%+v has no version", one)
			}
		}
	})
}
