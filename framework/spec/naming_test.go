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

package spec

import "testing"

func TestNames(t *testing.T) {
	for text, want := range map[string]bool{
		"gpu.example.com": true, "plugins/gpu.example.com/dra.sock": true, "gpu.example.com-reg.sock": true, "cdi: x-gpu.example.com_1.json": true,
		"xgpu.example.com": false, "gpu.example.community": false, "xgpu.example.com gpu.example.com": true, "gpu.example": false, "": false,
	} {
		if got := Names("gpu.example.com", text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
