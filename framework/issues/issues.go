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

package issues

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/dra-conformance/dratest/framework/spec"
)

//go:embed issues.yaml
var embedded []byte

const header = `# The known issues of Kubernetes. "dratest known-issues review --record" adds reviews (docs/known-issues.md).
# id: the upstream issue, or a name if there is none; issue: in that case, the file of k8s.io/kubernetes with the cause
# from, through: the oldest and newest affected releases; a minor version stands for all its patch releases
# review: the day by which maintainers have to review the issue
# reviews: the results on newer versions
`

var rows = sync.OnceValue(func() []spec.KnownIssue { //nolint:gochecknoglobals // a table
	all, err := Parse(embedded)
	if err != nil {
		panic("issues.yaml: " + err.Error())
	}
	return all
})

// All returns all known issues.
func All() []spec.KnownIssue { return slices.Clone(rows()) }

// Known returns the known issue with an ID, for the declaration of a case. It panics if there is none.
func Known(id string) *spec.KnownIssue {
	i := slices.IndexFunc(rows(), func(k spec.KnownIssue) bool { return k.ID == id })
	if i < 0 {
		panic(fmt.Sprintf("known issue %q is not in issues.yaml", id))
	}
	issue := rows()[i]
	return &issue
}

// Parse reads rows of known issues. The error lists all problems.
func Parse(data []byte) ([]spec.KnownIssue, error) {
	var all []spec.KnownIssue
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read known issues: %w", err)
	}
	if !errors.Is(decoder.Decode(new(any)), io.EOF) {
		return nil, errors.New("known issues must be one document")
	}
	var errs []error
	seen := map[string]bool{}
	for i := range all {
		k := &all[i]
		switch {
		case k.ID == "":
			errs = append(errs, fmt.Errorf("known issue %d has no id", i+1))
			continue
		case seen[k.ID]:
			errs = append(errs, fmt.Errorf("known issue %q has two rows", k.ID))
		}
		seen[k.ID] = true
		if k.Issue == "" {
			k.Issue = k.ID
		}
		if err := k.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("known issue %q: %w", k.ID, err))
		}
	}
	if len(all) == 0 {
		errs = append(errs, errors.New("there are no known issues"))
	}
	return all, errors.Join(errs...)
}

// Render encodes rows as YAML, with the header of issues.yaml.
func Render(all []spec.KnownIssue) ([]byte, error) {
	all = slices.Clone(all)
	for i := range all {
		if all[i].Issue == all[i].ID {
			all[i].Issue = ""
		}
	}
	b := bytes.NewBufferString(header)
	encoder := yaml.NewEncoder(b)
	encoder.SetIndent(2)
	if err := encoder.Encode(all); err != nil {
		return nil, fmt.Errorf("write known issues: %w", err)
	}
	return b.Bytes(), encoder.Close()
}
