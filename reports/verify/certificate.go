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

package verify

import (
	"io/fs"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// certificate derives the certificate from the evidence, and compares certificate.json with the
// conformance report. It is nil for engines without certificates.
func (v *verification) certificate(r schema.Report) *schema.Certificate {
	was := v.conformance.Certificate
	if v.rules.Certificate == nil {
		return nil
	}
	if was == nil {
		v.refuse("%s: it has no certificate: \"dratest certify\" did not come to a verdict, or somebody removed it", reports.ConformanceFile)
		return nil
	}
	v.compare(reports.ConformanceFile+": certificate.identity", "implementation is", was.Identity, v.conformance.Implementation)
	v.encoded(*was)
	derived, err := v.rules.Certificate(v.dir, v.list, r, *was)
	if err != nil {
		v.refuse("the certificate cannot be checked: %v", err)
		return was
	}
	if !v.rules.Wrote(v.conformance) {
		derived.Judgement = reworded(derived.Judgement, was.Judgement)
	}
	return &derived
}

// reworded takes over was' sentences if the numbers match: other builds can have different wording.
func reworded(j, was schema.Judgement) schema.Judgement {
	for _, of := range []struct{ is, was *[]string }{{&j.Failures, &was.Failures}, {&j.Missing, &was.Missing}, {&j.Notes, &was.Notes}} {
		if len(*of.is) == len(*of.was) {
			*of.is = *of.was
		}
	}
	return j
}

// encoded compares certificate.json with the certificate in the conformance report.
func (v *verification) encoded(c schema.Certificate) {
	found, err := fs.ReadFile(v.dir, reports.CertificateFile)
	if err != nil {
		return // files has reported the error
	}
	if _, err := schema.DecodeCertificate(found); err != nil {
		v.refuse("%s: %v", reports.CertificateFile, err)
		return
	}
	should, err := schema.EncodeCertificate(c)
	if err != nil {
		v.refuse("%s: %v", reports.ConformanceFile, err)
		return
	}
	if number, a, b, same := firstDifference(found, should); !same {
		v.refuse("%s: line %d is %s, and %s makes it %s", reports.CertificateFile, number, shown(a), reports.ConformanceFile, shown(b))
	}
}
