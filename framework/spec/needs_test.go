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

package spec_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

// TestEachNeedIsListed: a field without a row in the table would be ignored.
func TestEachNeedIsListed(t *testing.T) {
	unlisted := []string{
		"Devices",  // bring a case to drivers under test
		"Contract", // does so, too
		"Profile",  // is published by the case's own driver
	}
	for i := range reflect.TypeFor[spec.Needs]().NumField() {
		var n spec.Needs
		f := reflect.ValueOf(&n).Elem().Field(i)
		switch f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.String:
			f.SetString("1.37")
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Int, reflect.Int64:
			f.SetInt(2)
		}
		name := reflect.TypeFor[spec.Needs]().Field(i).Name
		if listed := len(n.Descriptions()) > 0; listed == slices.Contains(unlisted, name) {
			t.Errorf("needs.%s: listed is %t", name, listed)
		}
	}
}
