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

package schema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

var update = flag.Bool("update", false, "write the JSON schema anew")

// schemas are the schemas of files read by other programs, by file name.
var schemas = map[string]struct {
	id string
	of any
}{
	"conformance-report.schema.json": {"conformance-report-v1alpha1", &schema.ConformanceReport{}},
	"report.schema.json":             {"report-v1alpha2", &schema.Report{}},
	"timeline.schema.json":           {"timeline-v1alpha1", &spec.Timeline{}},
}

// jsonSchema generates a schema from the types.
func jsonSchema(t *testing.T, id string, of any) []byte {
	t.Helper()
	r := &jsonschema.Reflector{ExpandedStruct: true}
	for _, dir := range []string{".", "../../framework/spec"} {
		if err := r.AddGoComments("github.com/dra-conformance/dratest/reports/schema", dir); err != nil {
			t.Fatal(err)
		}
	}
	s := r.Reflect(of)
	s.ID = jsonschema.ID("https://dra-conformance.github.io/schemas/" + id + ".json")
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

func TestJSONSchemasAreUpToDate(t *testing.T) {
	for file, s := range schemas {
		want := jsonSchema(t, s.id, s.of)
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the types say; run \"go test ./reports/schema -update\":\n%s", file, cmp.Diff(string(want), string(got)))
		}
	}
}
