package spec_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

// TestEachNeedIsListed: a field without a row in the table would be asked of no target.
func TestEachNeedIsListed(t *testing.T) {
	unlisted := []string{
		"Devices", // bring a case to drivers under test
		"Profile", // is published by the case's own driver
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
		if listed := len(n.Words()) > 0; listed == slices.Contains(unlisted, name) {
			t.Errorf("needs.%s: listed is %t", name, listed)
		}
	}
}
