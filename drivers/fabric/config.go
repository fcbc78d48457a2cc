package fabric

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/yaml"
)

// Config says who may use a fabric and what it has at first.
type Config struct {
	// Clusters are the fabric's clients.
	Clusters []Client `json:"clusters"`
	// AdminToken is for those who script the fabric.
	AdminToken string `json:"adminToken"`
	// Models are made where there is no state yet.
	Models []ModelConfig `json:"models"`
	// Script holds until another one is set.
	Script []Rule `json:"script,omitempty"`
}

// Client is a cluster, and what it shows that it is it.
type Client struct {
	Name  string `json:"name"`
	Token string `json:"token"`
}

// ModelConfig is a model with devices that are named after it: a100-0, a100-1.
type ModelConfig struct {
	Name       string            `json:"name"`
	Count      int               `json:"count"`
	Attributes map[string]string `json:"attributes,omitempty"`
}

// ParseConfig reads a configuration. Fields that are not known are errors; all problems
// come at once.
func ParseConfig(data []byte) (Config, error) {
	var c Config
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		return c, fmt.Errorf("parse configuration: %w", err)
	}
	return c, c.Validate()
}

// Validate returns all problems at once.
func (c Config) Validate() error {
	var problems []error
	tokens, names := sets.New(c.AdminToken), sets.New[string]()
	if c.AdminToken == "" {
		problems = append(problems, errors.New("adminToken: must be given"))
	}
	for i, client := range c.Clusters {
		if client.Name == "" || names.Has(client.Name) {
			problems = append(problems, fmt.Errorf("clusters[%d].name: %q: must be given, and only once", i, client.Name))
		}
		if client.Token == "" || tokens.Has(client.Token) {
			problems = append(problems, fmt.Errorf("clusters[%d].token: must be given, and differ from all others", i))
		}
		names.Insert(client.Name)
		tokens.Insert(client.Token)
	}
	for i, m := range c.Models {
		if m.Count < 0 {
			problems = append(problems, fmt.Errorf("models[%d].count: %d: must not be negative", i, m.Count))
		}
	}
	if _, err := c.state(); err != nil {
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// state is what there is at first.
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
