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

package audit_test

import (
	"encoding/json"
	"testing"

	"github.com/dra-conformance/dratest/framework/audit"
)

// FuzzWorld checks that objects of others, valid or not, can be judged, and that they are judged alike twice.
func FuzzWorld(f *testing.F) {
	good, err := json.Marshal(goodWorld())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"Claims":[{"status":{"allocation":{"devices":{"results":[{"request":"r","driver":"d","pool":"p","device":"x","consumedCapacity":{"m":"-1"}}]}},"reservedFor":[{}]}}],"Slices":[{"spec":{"devices":[{"name":"x"}],"pool":{"generation":-9}}}],"Pods":[{"spec":{"nodeName":"n","resourceClaims":[{}]}}],"Nodes":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var w, again audit.World
		if json.Unmarshal(data, &w) != nil {
			return
		}
		if err := json.Unmarshal(data, &again); err != nil {
			t.Fatal(err)
		}
		if a, b := audit.Texts(everything(w)), audit.Texts(everything(again)); a != b {
			t.Errorf("%s\nthen:\n%s", a, b)
		}
		audit.CompletePools(w.Slices)
	})
}
