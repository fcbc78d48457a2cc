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
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/dra-conformance/dratest/framework/spec"
)

var update = flag.Bool("update", false, "write the schema anew")

// JSONSchema lists the features to declare.
func (Features) JSONSchema() *jsonschema.Schema {
	properties := jsonschema.NewProperties()
	for _, f := range spec.DriverFeatures() {
		properties.Set(string(f), &jsonschema.Schema{Type: "boolean"})
	}
	return &jsonschema.Schema{Type: "object", Properties: properties, AdditionalProperties: jsonschema.FalseSchema}
}

// JSONSchema lists the features of a class.
func (ClassFeatures) JSONSchema() *jsonschema.Schema {
	var names []any
	for _, f := range spec.DriverFeatures() {
		names = append(names, string(f))
	}
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string", Enum: names}}
}

// The library generating the schema is not linked into any program.
func TestSchemaIsCurrent(t *testing.T) {
	const file = "driver.schema.json"
	r := jsonschema.Reflector{FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, DoNotReference: true}
	s := r.Reflect(Declaration{})
	s.ID, s.Title = "https://dra-conformance.github.io/schemas/v1alpha1/driver.json", "driver.yaml of dratest certify"
	want, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not that of the types (%v): go test ./drivers/declarations -update", file, err)
	}
}
