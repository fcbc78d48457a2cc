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

package api

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRemove(t *testing.T) {
	object := func() map[string]any {
		return map[string]any{"spec": map[string]any{"list": []any{map[string]any{"a": "b", "c": "d"}}, "map": map[string]any{"k": map[string]any{"v": 1}}}}
	}
	for path, there := range map[string]bool{
		"spec.list[0].a": true, "spec.map[k].v": true, "spec.list": true,
		"spec.list[1].a": false, "spec.list[0].b": false, "spec.list[a].b": false, "status.a": false,
	} {
		got := object()
		if remove(got, path) != there || cmp.Equal(got, object()) == there {
			t.Errorf("%s: %v is left, it should be there: %t", path, got, there)
		}
	}
}
