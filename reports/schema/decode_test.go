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
	"slices"
	"testing"
)

func TestDecodeRejectsTrailingValues(t *testing.T) {
	report, err := Encode(Report{SchemaVersion: Version})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(report); err != nil {
		t.Error(err)
	}
	if _, err := Decode(slices.Concat(report, []byte("{}"))); err == nil {
		t.Error("a report with a second value was read")
	}
	certificate, err := EncodeCertificate(Certificate{SchemaVersion: CertificateVersion})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeCertificate(certificate); err != nil {
		t.Error(err)
	}
	if _, err := DecodeCertificate(slices.Concat(certificate, []byte("{}"))); err == nil {
		t.Error("a certificate with a second value was read")
	}
}
