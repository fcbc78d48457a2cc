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
