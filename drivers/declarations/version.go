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

package declarations

import (
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"
)

// version is the version of a file.
type version string

// unversioned is the version of files without apiVersion.
const unversioned version = ""

// versionOf returns the version of a file, or why it is unknown.
func versionOf(root *yaml.Node) (version, *Problem) {
	values := map[string]*yaml.Node{}
	for key, value := range pairs(root) {
		if root.Kind == yaml.MappingNode {
			values[key.Value] = value
		}
	}
	apiVersion, kind := values["apiVersion"], values["kind"]
	switch {
	case apiVersion == nil && kind == nil:
		return unversioned, nil
	case apiVersion == nil:
		return "", &Problem{kind.Line, fmt.Sprintf("apiVersion: is missing: add apiVersion: %s", APIVersion)}
	case apiVersion.Value != APIVersion:
		return "", &Problem{apiVersion.Line, fmt.Sprintf("apiVersion: %q is unknown to this dratest, which knows %s: use a newer dratest", apiVersion.Value, APIVersion)}
	case kind == nil:
		return "", &Problem{apiVersion.Line, "kind: is missing: add kind: " + Kind}
	case kind.Value != Kind:
		return "", &Problem{kind.Line, fmt.Sprintf("kind: is %q, must be %s", kind.Value, Kind)}
	}
	return APIVersion, nil
}

// lacks returns why a version has no such field.
func (v version) lacks(field reflect.StructField) string {
	switch {
	case v == unversioned && field.Tag.Get("since") != "":
		return fmt.Sprintf("it needs the lines \"apiVersion: %s\" and \"kind: %s\"", APIVersion, Kind)
	case v != unversioned && field.Tag.Get("until") != "":
		return fmt.Sprintf("its name in %s is %q", APIVersion, field.Tag.Get("until"))
	}
	return ""
}

// convert gives a declaration the form of the current version.
func (d *Declaration) convert() {
	d.APIVersion, d.Kind = APIVersion, Kind
	for _, one := range d.Hooks.named() {
		if one.hook.On != "" {
			one.hook.RunsOn, one.hook.On = one.hook.On, ""
		}
	}
}
