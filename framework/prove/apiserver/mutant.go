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

package apiserver

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/dra-conformance/dratest/framework/prove/components"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Mutant is a bug that an API server seems to have. It has exactly one of Accepts,
// Refuses, Stores, Answers and Ignores.
type Mutant struct {
	// Mutant is a simulated bug of an API server. It has exactly one of Accepts, Refuses, Stores, Answers and Ignores.
	spec.Defect
	// Of is the component seeing the bug, scheduler or controllers; empty means the cases.
	Of string `json:"of,omitempty"`
	// Path is a regular expression for the paths and Methods are the methods of affected requests; no methods means all.
	Path    string   `json:"path"`
	Methods []string `json:"methods,omitempty"`

	// Accepts is a rejection to suppress.
	Accepts *Refusal `json:"accepts,omitempty"`
	// Refuses is a jq program, true for created or updated objects to reject wrongly.
	Refuses string `json:"refuses,omitempty"`
	// Stores is a jq program changing an object, or a patch, before it is stored.
	Stores string `json:"stores,omitempty"`
	// Answers is a jq program changing each object of a response, list or watch. An empty result drops the object.
	// $event is ADDED, MODIFIED or DELETED for a watch event, else empty.
	Answers string `json:"answers,omitempty"`
	// Ignores is an ignored query parameter.
	Ignores *Parameter `json:"ignores,omitempty"`

	compiled compiled
}

// Refusal selects rejections of an API server by regular expressions; an empty one matches all.
type Refusal struct {
	// Field and Reason match a cause in the response's details. The request is still rejected for other causes.
	Field  string `json:"field,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Message matches the message of the whole response.
	Message string `json:"message,omitempty"`
}

// Parameter is a query parameter, with a regular expression for its values.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// eventVariable is the event type of a watch in jq programs.
const eventVariable = "$event"

// compiled has a mutant's compiled expressions.
type compiled struct {
	path, field, reason, message, value *regexp.Regexp
	refuses, stores, answers            *gojq.Code
}

//go:embed mutants
var files embed.FS

// Load returns all mutants in the order of the files.
func Load() ([]Mutant, error) {
	return load(files)
}

func load(files fs.FS) ([]Mutant, error) {
	return components.LoadAll(files, "mutants", func(_ string, m *Mutant) (string, error) { return m.ID, m.compile() })
}

var idPattern = regexp.MustCompile(`^api(-[a-z0-9]+)+$`)

func (m *Mutant) compile() error {
	var problems []string
	if !idPattern.MatchString(m.ID) {
		problems = append(problems, "its ID must begin with api-")
	}
	if !strings.HasSuffix(m.What, ".") {
		problems = append(problems, "what must be a sentence ending with a full stop")
	}
	if len(m.Requires) == 0 || m.Path == "" {
		problems = append(problems, "requires and path must not be empty")
	}
	if !slices.Contains([]string{"", spec.Scheduler, spec.Controllers}, m.Of) {
		problems = append(problems, fmt.Sprintf("%q is neither scheduler nor controllers", m.Of))
	}
	kinds := 0
	for _, is := range []bool{m.Accepts != nil, m.Refuses != "", m.Stores != "", m.Answers != "", m.Ignores != nil} {
		if is {
			kinds++
		}
	}
	if kinds != 1 {
		problems = append(problems, "it must have exactly one of accepts, refuses, stores, answers and ignores")
	}
	for _, method := range m.Methods {
		if !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, method) {
			problems = append(problems, fmt.Sprintf("%q is no method of the API", method))
		}
	}
	expression := func(text string) *regexp.Regexp {
		r, err := regexp.Compile(text)
		if err != nil {
			problems = append(problems, err.Error())
		}
		return r
	}
	program := func(text string) *gojq.Code {
		if text == "" {
			return nil
		}
		query, err := gojq.Parse(text)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", text, err))
			return nil
		}
		code, err := gojq.Compile(query, gojq.WithVariables([]string{eventVariable}))
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", text, err))
		}
		return code
	}
	c := compiled{path: expression(m.Path), refuses: program(m.Refuses), stores: program(m.Stores), answers: program(m.Answers)}
	if m.Accepts != nil {
		if *m.Accepts == (Refusal{}) {
			problems = append(problems, "accepts must say what")
		}
		c.field, c.reason, c.message = expression(m.Accepts.Field), expression(m.Accepts.Reason), expression(m.Accepts.Message)
	}
	if m.Ignores != nil {
		c.value = expression(m.Ignores.Value)
	}
	m.compiled = c
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("mutant %s: %s", m.ID, strings.Join(problems, "; "))
}

func (m *Mutant) concerns(r *http.Request) bool {
	return m != nil && m.compiled.path.MatchString(r.URL.Path) && (len(m.Methods) == 0 || slices.Contains(m.Methods, r.Method))
}
