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

package cases

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFlatIsTheSameForAllVersions(t *testing.T) {
	read := func(text string) object {
		var o object
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		return flat(o)
	}
	old := read(`{"apiVersion": "resource.k8s.io/v1beta1", "metadata": {"name": "a", "managedFields": []}, "requests": [{"name": "r", "count": 1}, {"name": "l", "deviceClassName": "", "firstAvailable": []}], "devices": [{"name": "d", "basic": {"x": {"y": true}}}]}`)
	now := read(`{"apiVersion": "resource.k8s.io/v1", "metadata": {"name": "a"}, "requests": [{"name": "r", "exactly": {"count": 1}}, {"name": "l", "firstAvailable": []}], "devices": [{"name": "d", "x": {"y": true}}]}`)
	if diff := cmp.Diff(now, old); diff != "" {
		t.Error(diff)
	}
	if other := read(`{"requests": [{"name": "r", "exactly": {"count": 2}}]}`); cmp.Equal(other["requests"], now["requests"]) {
		t.Error("what differs is taken for the same")
	}
}
