package catalogue

import (
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

// entry is a case without what only the code needs to know.
type entry struct {
	ID              string               `json:"id"`
	Checks          string               `json:"checks"`
	Requires        []spec.RequirementID `json:"requires"`
	Features        []spec.Feature       `json:"features,omitempty"`
	Off             []spec.Feature       `json:"off,omitempty"`
	Nodes           int                  `json:"nodes"`
	NoKubelet       bool                 `json:"noKubelet,omitempty"`
	Profile         string               `json:"profile,omitempty"`
	GRPC            []spec.GRPCVersion   `json:"grpc,omitempty"`
	BindingTimeout  string               `json:"bindingTimeout,omitempty"`
	DefaultsProfile bool                 `json:"defaultsProfile,omitempty"`
	Metrics         []string             `json:"metrics,omitempty"`
	WaitsFor        string               `json:"waitsFor,omitempty"`
	SerialBecause   string               `json:"serialBecause,omitempty"`
	KnownIssue      *spec.KnownIssue     `json:"knownIssue,omitempty"`
	Catches         []spec.MutantID      `json:"catches,omitempty"`
}

// Render returns the catalogue of cases as YAML.
func Render(cases []spec.Meta) ([]byte, error) {
	entries := make([]entry, 0, len(cases))
	for _, c := range cases {
		timeout := ""
		if c.Needs.BindingTimeout > 0 {
			timeout = c.Needs.BindingTimeout.String()
		}
		entries = append(entries, entry{
			ID: c.ID, Checks: c.Checks, Requires: c.Requires,
			Features: c.Needs.Features, Off: c.Needs.Off, Nodes: c.Needs.LeastNodes(), NoKubelet: c.Needs.NoKubelet, Profile: c.Needs.Profile.Name, GRPC: c.Needs.GRPC,
			BindingTimeout: timeout, DefaultsProfile: c.Needs.DefaultsProfile, Metrics: c.Needs.Metrics,
			WaitsFor: c.WaitsFor, SerialBecause: c.SerialBecause, KnownIssue: c.KnownIssue, Catches: c.Catches,
		})
	}
	content, err := yaml.Marshal(entries)
	if err != nil {
		return nil, fmt.Errorf("render catalogue: %w", err)
	}
	return append([]byte("# Generated from the cases with \"make generate\"; do not edit.\n"), content...), nil
}
