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
	"reflect"
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
)

// notFull lists fields disabled by default, and the node fields of a slice.
var notFull = []string{
	"ExactDeviceRequest.derivedAttributes", "DeviceSubRequest.derivedAttributes",
	"DeviceAttribute.ints", "DeviceAttribute.bools", "DeviceAttribute.strings", "DeviceAttribute.versions",
	"Device.nodeAllocatableResources", "DeviceCounterConsumption.compatibilityGroups",
	"ResourceSliceSpec.partitionTypeAttribute", "ResourceSliceSpec.skipNodeOperations", "DeviceRequestAllocationResult.skipNodeOperations",
	"ResourceSliceSpec.nodeName", "ResourceSliceSpec.nodeSelector",
}

func TestFullObjectsSetEveryField(t *testing.T) {
	set, all := map[string]bool{}, map[string]bool{}
	for _, spec := range []any{fullClaim().Spec, fullClass().Spec, fullSlice().Spec, fullCounters().Spec, fullStatus()} {
		visit(reflect.ValueOf(spec), set, all)
	}
	for field := range all {
		if !set[field] && !slices.Contains(notFull, field) {
			t.Errorf("%s is set nowhere", field)
		}
	}
	for _, field := range notFull {
		if set[field] || !all[field] {
			t.Errorf("%s is set, or not there any more", field)
		}
	}
}

// visit records the fields of the API's structs in a value, and the non-empty ones.
func visit(v reflect.Value, set, all map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			visit(v.Elem(), set, all)
		}
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), set, all)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			visit(v.MapIndex(key), set, all)
		}
	case reflect.Struct:
		if v.Type().PkgPath() != reflect.TypeFor[resourceapi.Device]().PkgPath() {
			return
		}
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if name != "" {
				all[v.Type().Name()+"."+name] = true
				set[v.Type().Name()+"."+name] = set[v.Type().Name()+"."+name] || !v.Field(i).IsZero()
			}
			visit(v.Field(i), set, all)
		}
	}
}
