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

package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/dra-conformance/dratest/framework/spec"
)

// RequiredCase is a case of a suite version, with the profiles requiring it.
type RequiredCase struct {
	ID string `json:"id"`
	// Level is the strongest level of the case's requirements: with MUST, a failure of the case fails the
	// run.
	Level        spec.Level           `json:"level" jsonschema:"enum=MUST,enum=SHOULD,enum=MAY"`
	Requirements []spec.RequirementID `json:"requirements"`
	// Profiles are the conformance profiles requiring the case; none for cases testing dratest's own
	// programs.
	Profiles []spec.ConformanceProfile `json:"profiles,omitempty"`
	// Features are the tested features beyond the core.
	Features []spec.Feature `json:"features,omitempty"`
	// Off are features required to be disabled.
	Off []spec.Feature `json:"off,omitempty"`
	// APIs are API versions required besides resource.k8s.io/v1.
	APIs []string `json:"apis,omitempty"`
	// Since is the minimum Kubernetes release, for example 1.37.
	Since string `json:"since,omitempty"`
	// DriverUnderTest is true for cases about a driver as installed by its vendor.
	DriverUnderTest bool `json:"installed,omitempty"`
	// DriverProfile is the case's part of the driver profile if it can run with an installed driver,
	// DriverFeatures are the features used then.
	DriverProfile  spec.DriverProfile   `json:"driverProfile,omitempty"`
	DriverFeatures []spec.DriverFeature `json:"driverFeatures,omitempty"`
	// NoDriverFeatures are features that driver must not have, Hooks the commands of its vendor.
	// Lists before v2 have neither.
	NoDriverFeatures []spec.DriverFeature `json:"noDriverFeatures,omitempty"`
	Hooks            []spec.HookName      `json:"hooks,omitempty"`
	// KnownIssue is the known issue of Kubernetes excused in this case.
	KnownIssue string `json:"knownIssue,omitempty"`
}

// Required returns the required cases of a suite, with their levels. An unknown requirement is a MUST.
func Required(metas []spec.Meta, requirements []spec.Requirement) []RequiredCase {
	levels := map[spec.RequirementID]spec.Level{}
	for _, r := range requirements {
		levels[r.ID] = r.Level
	}
	required := make([]RequiredCase, 0, len(metas))
	for _, m := range metas {
		c := RequiredCase{
			ID: m.ID, Level: spec.May, Requirements: m.Requires, Profiles: m.Profiles(), Features: m.Needs.Features, Off: m.Needs.Off,
			APIs: m.Needs.ServedAPIs(), Since: m.Needs.Since, DriverUnderTest: m.Needs.DriverPods,
			DriverProfile: m.DriverProfile(), DriverFeatures: m.Needs.DriverFeatures,
			NoDriverFeatures: m.Needs.NoDriverFeatures, Hooks: m.Needs.Hooks,
		}
		for _, id := range m.Requires {
			switch levels[id] {
			case spec.May:
			case spec.Should:
				if c.Level == spec.May {
					c.Level = spec.Should
				}
			default:
				c.Level = spec.Must
			}
		}
		if len(m.Requires) == 0 {
			c.Level = spec.Must
		}
		if m.KnownIssue != nil {
			c.KnownIssue = m.KnownIssue.Issue
		}
		required = append(required, c)
	}
	return required
}

// Releases returns the Kubernetes releases needed by the case: its minimum release, and those adding
// its features to v1 of the API.
func (c RequiredCase) Releases() []string {
	var all []string
	if c.Since != "" {
		all = append(all, c.Since)
	}
	for _, f := range c.Features {
		if since := f.InV1Since(); since != "" {
			all = append(all, since)
		}
	}
	return all
}

// OfDriver returns the needs that a driver under test can lack.
func (c RequiredCase) OfDriver() spec.Needs {
	return spec.Needs{Devices: 1, DriverFeatures: c.DriverFeatures, NoDriverFeatures: c.NoDriverFeatures, Hooks: c.Hooks}
}

// RequiredDigest returns the digest of a list of required cases as compact JSON, such as
// "sha256:0123…".
func RequiredDigest(required []RequiredCase) string {
	data, err := json.Marshal(required)
	if err != nil {
		panic(err) // strings only
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
