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

package reports

import (
	"fmt"
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// File names of a certification.
const (
	// CertificateFile is the certificate.
	CertificateFile = "certificate.json"
	// DeclarationFile is the declaration of the driver under test.
	DeclarationFile = "declaration.yaml"
)

// certify adds a certificate with its driver profiles to a conformance report.
func certify(c *schema.ConformanceReport, certificate schema.Certificate) {
	c.Certificate = &certificate
	c.Profiles = nil
	for _, name := range spec.DriverProfiles() {
		contract := slices.ContainsFunc(c.Cases, func(each schema.ConformanceCase) bool { return each.DriverProfile == name })
		if name == spec.ProfileContract && !contract || name == spec.ProfileLoad && certificate.Profiles[name] == "" {
			continue // a report of profile v2 or before, or without load
		}
		p := schema.Profile{Name: string(name), Result: resultOfVerdict(certificate.Profiles[name])}
		for _, each := range c.Cases {
			if each.DriverProfile == name {
				*number(&p.Counts, each.Result)++
			}
		}
		c.Profiles = append(c.Profiles, p)
	}
}

// Certified sets the verdict of a certification's report to that on the driver.
func Certified(r schema.Report, c schema.Certificate) schema.Report {
	r.VendorCases = c.Observations.VendorCases
	r.Result, r.Reasons = resultOfVerdict(c.Verdict), slices.Concat(c.Failures, c.Missing)
	return r
}

// CheckLine is the line of LogFile with the outcome of a check, which is no Ginkgo spec.
func CheckLine(o spec.Outcome) string {
	return fmt.Sprintf("check %s: %s", o.ID, o.Status)
}

func resultOfVerdict(v schema.DriverVerdict) schema.Result {
	switch v {
	case schema.DriverCertified:
		return schema.ResultPassed
	case schema.DriverNotCertified:
		return schema.ResultFailed
	case schema.DriverIncomplete:
		return schema.ResultIncomplete
	default:
		return schema.ResultNotApplicable
	}
}
