package declarations

import (
	"encoding/json"
	"fmt"

	"github.com/invopop/jsonschema"
)

// SchemaFile is the name of the JSON schema, which lies beside the declarations.
const SchemaFile = "driver.schema.json"

// Schema is the JSON schema of driver.yaml.
func Schema() ([]byte, error) {
	r := jsonschema.Reflector{FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, DoNotReference: true}
	s := r.Reflect(Declaration{})
	s.ID, s.Title = "", "driver.yaml of dratest certify"
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the schema of driver.yaml: %w", err)
	}
	return append(data, '\n'), nil
}
