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

package certify

import (
	"errors"
	"testing"

	"github.com/dra-conformance/dratest/reports/schema"
)

func TestBadge(t *testing.T) {
	d := declared()
	for _, tc := range []struct {
		name    string
		verdict schema.DriverVerdict
		days    int
		want    string
	}{
		{"certified", schema.DriverCertified, 364, "[![" + d.Driver + " " + d.Identity.Version + ": dratest driver v1: passed on Kubernetes v1.37.1, valid until 2027-11-22]" +
			"(https://img.shields.io/badge/dratest%20driver%20v1-passed%20on%20Kubernetes%20v1.37.1%2C%20valid%20until%202027--11--22-brightgreen)](https://gpu.example.com)"},
		{"a year later", schema.DriverCertified, 366, ""},
		{"not certified", schema.DriverNotCertified, 0, ""},
		{"incomplete", schema.DriverIncomplete, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := schema.Certificate{Driver: d.Driver, Profile: "driver v1", Kubernetes: "v1.37.1", Identity: schema.Implementation(d.Identity)}
			if c.Verdict = tc.verdict; c.Verdict == schema.DriverCertified {
				c.Expires = today.AddDate(validity, 0, 0)
			}
			got, err := Badge(c, "https://gpu.example.com", today.AddDate(0, 0, tc.days))
			if got != tc.want || errors.Is(err, ErrNoBadge) != (tc.want == "") {
				t.Errorf("%v, badge is %s", err, got)
			}
		})
	}
}
