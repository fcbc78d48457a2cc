package declarations

import (
	"slices"

	"github.com/invopop/jsonschema"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Features says of features whether the driver has them; for those that are left out,
// what is observed counts.
type Features map[spec.DriverFeature]bool

// JSONSchema lists the features that can be declared.
func (Features) JSONSchema() *jsonschema.Schema {
	properties := jsonschema.NewProperties()
	for _, f := range spec.DriverFeatures() {
		properties.Set(string(f), &jsonschema.Schema{Type: "boolean"})
	}
	return &jsonschema.Schema{Type: "object", Properties: properties, AdditionalProperties: jsonschema.FalseSchema}
}

// ClassFeatures are features whose devices are of a class.
type ClassFeatures []spec.DriverFeature

// JSONSchema lists the features that can be named.
func (ClassFeatures) JSONSchema() *jsonschema.Schema {
	var names []any
	for _, f := range spec.DriverFeatures() {
		names = append(names, string(f))
	}
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string", Enum: names}}
}

func knownFeature(name string) bool {
	return slices.Contains(spec.DriverFeatures(), spec.DriverFeature(name))
}
