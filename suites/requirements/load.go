package requirements

import (
	"embed"
	"fmt"
	"path"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

//go:embed *.yaml
var files embed.FS

// Load returns all requirements in the order of their files. Errors name the file
// and what is wrong in it: unknown fields, an ID twice, a missing text.
func Load() ([]spec.Requirement, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("list requirements: %w", err)
	}
	var all []spec.Requirement
	seen := map[spec.RequirementID]bool{}
	for _, e := range entries {
		content, err := files.ReadFile(path.Join(".", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read requirements: %w", err)
		}
		var file []spec.Requirement
		if err := yaml.UnmarshalStrict(content, &file); err != nil {
			return nil, fmt.Errorf("decode requirements/%s: %w", e.Name(), err)
		}
		for _, r := range file {
			switch {
			case seen[r.ID]:
				return nil, fmt.Errorf("decode requirements/%s: %s is there twice", e.Name(), r.ID)
			case r.Section == "" || r.Text == "":
				return nil, fmt.Errorf("decode requirements/%s: %s needs a section and a text", e.Name(), r.ID)
			case r.Level != spec.Must && r.Level != spec.Should && r.Level != spec.May:
				return nil, fmt.Errorf("decode requirements/%s: %s has level %q, must be MUST, SHOULD or MAY", e.Name(), r.ID, r.Level)
			}
			seen[r.ID] = true
		}
		all = append(all, file...)
	}
	return all, nil
}
