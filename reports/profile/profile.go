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

package profile

import (
	_ "embed"
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Version is a version of the profiles.
type Version struct {
	// Version is its name, such as "v1".
	Version string `json:"version"`
	// Lists are the digests of its case lists (schema.RequiredDigest), by engine.
	Lists map[schema.Engine]string `json:"lists"`
	// Required is the number of required cases per profile, for readers.
	Required map[spec.ConformanceProfile]int `json:"required"`
}

//go:embed versions.yaml
var versions []byte

// Versions returns the versions known to this build, oldest first.
func Versions() []Version {
	var all []Version
	if err := yaml.UnmarshalStrict(versions, &all); err != nil {
		panic(err) // embedded file
	}
	return all
}

// Draft is the suffix of unpinned versions, as in builds between releases.
const Draft = "-draft"

// Of returns the version of an engine's list of cases by its digest. Unknown lists are drafts
// of the next version.
func Of(known []Version, engine schema.Engine, digest string) string {
	i := slices.IndexFunc(known, func(v Version) bool { return v.Lists[engine] == digest })
	if i < 0 {
		return fmt.Sprintf("v%d%s", len(known)+1, Draft)
	}
	return known[i].Version
}

// Run returns the profile of a run on a target. It is zero for a selection of cases, except for a
// driver: its cases are always judged by its profile.
func Run(target spec.ConformanceProfile, s schema.Selection, engine schema.Engine, required []schema.RequiredCase) schema.RunProfile {
	if engine == schema.EngineRun && s.Narrowed() {
		return schema.RunProfile{}
	}
	name := target.Of(spec.Subset(s.Profile))
	return schema.RunProfile{Name: name, Version: Of(Versions(), engine, schema.RequiredDigest(required)), Required: len(Required(name, required))}
}

// Required returns the cases required by a profile.
func Required(name spec.ConformanceProfile, list []schema.RequiredCase) []schema.RequiredCase {
	return slices.DeleteFunc(slices.Clone(list), func(c schema.RequiredCase) bool { return !slices.Contains(c.Profiles, name) })
}

// Render returns the content of versions.yaml.
func Render(all []Version) ([]byte, error) {
	data, err := yaml.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encode the versions of the profiles: %w", err)
	}
	return append([]byte("# Generated with \"go test ./cmd/dratest -run TestProfileVersions -freeze\", which adds a version. None is changed or\n# removed, as reports name them.\n"), data...), nil
}
