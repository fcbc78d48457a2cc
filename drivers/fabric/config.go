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

package fabric

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Config has a fabric's clients and initial devices.
type Config struct {
	// Clusters are the fabric's clients.
	Clusters []Client `json:"clusters"`
	// AdminToken authorizes changes of the script and devices.
	AdminToken string `json:"adminToken"`
	// Models are made where there is no state yet.
	Models []ModelConfig `json:"models"`
	// Script holds until another one is set.
	Script []Rule `json:"script,omitempty"`
}

// Client is a cluster with its credentials.
type Client struct {
	Name  string `json:"name"`
	Token string `json:"token"`
}

// ModelConfig is a model with devices named after it: a100-0, a100-1.
type ModelConfig struct {
	Name       string            `json:"name"`
	Count      int               `json:"count"`
	Attributes map[string]string `json:"attributes,omitempty"`
}

// ParseConfig reads a configuration. Unknown and duplicate fields and further documents are errors; all problems are
// reported at once.
func ParseConfig(data []byte) (Config, error) {
	var c Config
	document, err := onlyDocument(data)
	if err == nil {
		err = yaml.UnmarshalStrict(document, &c)
	}
	if err != nil {
		return c, fmt.Errorf("parse configuration: %w", err)
	}
	return c, c.Validate()
}

// onlyDocument returns the one document that is not empty; a parser would silently ignore all but the first.
func onlyDocument(data []byte) (only []byte, err error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return only, nil
		}
		if err != nil {
			return nil, err
		}
		var content any
		if err := yaml.Unmarshal(document, &content); err != nil {
			return nil, err
		}
		if content != nil && only != nil {
			return nil, errors.New("there is more than one document")
		}
		if content != nil {
			only = document
		}
	}
}

// Validate returns all problems at once.
func (c Config) Validate() error {
	problems := []error{checkToken("adminToken", c.AdminToken)}
	tokens, names := sets.New(c.AdminToken), sets.New[string]()
	for i, client := range c.Clusters {
		if client.Name == "" || names.Has(client.Name) {
			problems = append(problems, fmt.Errorf("clusters[%d].name: %q: must be given, and only once", i, client.Name))
		}
		field := fmt.Sprintf("clusters[%d].token", i)
		problems = append(problems, checkToken(field, client.Token))
		if client.Token != "" && tokens.Has(client.Token) {
			problems = append(problems, fmt.Errorf("%s: must differ from all others", field))
		}
		names.Insert(client.Name)
		tokens.Insert(client.Token)
	}
	if len(c.Clusters) == 0 {
		problems = append(problems, errors.New("clusters: there must be one"))
	}
	models := sets.New[string]()
	for i, m := range c.Models {
		if models.Has(m.Name) {
			problems = append(problems, fmt.Errorf("models[%d].name: %q: must be given only once", i, m.Name))
		}
		models.Insert(m.Name)
		problems = append(problems, m.validate(fmt.Sprintf("models[%d]", i)))
	}
	for i, r := range c.Script {
		if err := r.Validate(); err != nil {
			problems = append(problems, fmt.Errorf("script[%d]: %w", i, err))
		}
		if r.Cluster != "" && !names.Has(r.Cluster) {
			problems = append(problems, fmt.Errorf("script[%d].cluster: %q: is none of the clusters", i, r.Cluster))
		}
	}
	return errors.Join(problems...)
}

func checkToken(field, token string) error {
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%s: must be given, in ASCII without spaces", field)
	}
	return nil
}

// maxCount bounds the devices of a model.
const maxCount = 10000

// validate returns all problems of a model at once.
func (m ModelConfig) validate(field string) error {
	var problems []error
	if m.Count < 0 || m.Count > maxCount {
		problems = append(problems, fmt.Errorf("%s.count: %d: must be between 0 and %d", field, m.Count, maxCount))
	}
	// The names of its devices are labels, too.
	for _, text := range validation.IsDNS1123Label(fmt.Sprintf("%s-%d", m.Name, max(0, m.Count-1))) {
		problems = append(problems, fmt.Errorf("%s.name: %q: with a number behind it: %s", field, m.Name, text))
	}
	if err := checkAttributes(m.Attributes); err != nil {
		problems = append(problems, fmt.Errorf("%s.%w", field, err))
	}
	return errors.Join(problems...)
}

func (c Config) state() (*State, error) {
	s := NewState()
	var problems []error
	for _, m := range c.Models {
		var ids []string
		for n := range m.Count {
			ids = append(ids, fmt.Sprintf("%s-%d", m.Name, n))
		}
		problems = append(problems, s.AddDevices(m.Name, m.Attributes, ids...))
	}
	return s, errors.Join(append(problems, s.SetScript(c.Script))...)
}
