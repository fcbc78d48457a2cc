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
	"fmt"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
)

// CertificateVersion is the schema version of certificate.json.
const CertificateVersion = "dra-conformance.github.io/v1alpha1"

// Certificate is the content of certificate.json, also found in the sealed conformance report.
type Certificate struct {
	SchemaVersion string `json:"schemaVersion" jsonschema:"enum=dra-conformance.github.io/v1alpha1"`
	Judgement     `json:",inline"`

	// Profile is the driver profile, as "driver v1".
	Profile  string         `json:"profile"`
	Identity Implementation `json:"identity"`
	Driver   string         `json:"driver"`
	Suite    Suite          `json:"suite"`
	// Kubernetes, Kubelets and Runtimes are versions.
	Kubernetes string   `json:"kubernetes"`
	Kubelets   []string `json:"kubelets"`
	Runtimes   []string `json:"runtimes"`
	// Images are the images of the driver's pods with their digests.
	Images []string `json:"images,omitempty"`
	// Date is the end of the run.
	Date time.Time `json:"date"`
	// Expires is set for certified drivers only.
	Expires    time.Time         `json:"expires,omitzero"`
	Exceptions []DriverException `json:"exceptions,omitempty"`
	// Cases maps case IDs to their status.
	Cases        map[string]string `json:"cases"`
	Observations Observations      `json:"observations"`
}

// Judgement is a verdict with its reasons.
type Judgement struct {
	Verdict DriverVerdict `json:"verdict" jsonschema:"enum=certified,enum=not certified,enum=incomplete"`
	// Failures lists violations by the driver, Missing the missing evidence. Notes do not change
	// the verdict.
	Failures []string `json:"failures,omitempty"`
	Missing  []string `json:"missing,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	// Exercised maps the driver's features to the passed cases with them.
	Exercised map[spec.DriverFeature][]string `json:"exercised,omitempty"`
	// Profiles has the verdict of each part of the driver profile.
	Profiles map[spec.DriverProfile]DriverVerdict `json:"profiles,omitempty"`
	// Costs are the driver's measured costs with their declared limits.
	Costs []Cost `json:"costs,omitempty"`
}

// DriverVerdict is the outcome of a certification.
type DriverVerdict string

// The verdicts.
const (
	DriverCertified    DriverVerdict = "certified"
	DriverNotCertified DriverVerdict = "not certified"
	DriverIncomplete   DriverVerdict = "incomplete"
)

// DriverException is a failing case known to the driver's vendor.
type DriverException struct {
	Case   string `json:"Case"`
	Reason string `json:"Reason"`
	Issue  string `json:"Issue"`
	// Until is the last day, as 2026-12-31.
	Until string `json:"Until"`
}

// Observations are the findings of a certification outside of its cases. Together with
// report.json and driver.yaml they determine the judgement.
type Observations struct {
	// Features are shown by the driver's objects.
	Features []spec.DriverFeature `json:"features,omitempty"`
	Failures []string             `json:"failures,omitempty"`
	Missing  []string             `json:"missing,omitempty"`
	// Changes in the cluster during the run can have other causes than the driver.
	Changes []string `json:"changes,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	// VendorCases never count.
	VendorCases []VendorCase `json:"vendorCases,omitempty"`
	// Load is the result of the optional profile load, if requested.
	Load *Load `json:"load,omitempty"`
}

// Load is the result of a driver under load.
type Load struct {
	Seconds       float64 `json:"seconds"`
	Pods          int     `json:"pods"`
	PodsPerMinute float64 `json:"podsPerMinute"`
	// Faults counts kills by component.
	Faults map[string]int `json:"faults,omitempty"`
	// Failures are violations, Missing why the result is incomplete.
	Failures []string `json:"failures,omitempty"`
	Missing  []string `json:"missing,omitempty"`
	Costs    []Cost   `json:"costs,omitempty"`
}

// VendorCase is the result of a vendor's own case.
type VendorCase struct {
	Name    string      `json:"name"`
	Promise string      `json:"promise"`
	Status  spec.Status `json:"status"`
	// Reason says why it did not pass.
	Reason          string  `json:"reason,omitempty"`
	ExitCode        int     `json:"exitCode,omitempty"`
	DurationSeconds float64 `json:"durationSeconds"`
	// Output is the end of the output, without control characters.
	Output string `json:"output,omitempty"`
}

// Line is the result with its reason.
func (c VendorCase) Line() string {
	if c.Reason == "" {
		return string(c.Status)
	}
	return fmt.Sprintf("%s: %s", c.Status, c.Reason)
}

// EncodeCertificate writes a certificate as indented JSON.
func EncodeCertificate(c Certificate) ([]byte, error) { return encode("certificate", c) }

// DecodeCertificate reads a certificate. It rejects other schema versions and unknown fields.
func DecodeCertificate(data []byte) (Certificate, error) {
	return decode[Certificate]("certificate", CertificateVersion, data)
}
