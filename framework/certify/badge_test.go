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
		verdict Verdict
		days    int
		want    string
	}{
		{"certified", Certified, 364, "[![" + d.Driver + " " + d.Identity.Version + ": DRA certified for Kubernetes v1.37.1 until 2027-11-22]" +
			"(https://img.shields.io/badge/DRA-certified%20for%20Kubernetes%20v1.37.1%20until%202027--11--22-brightgreen)](https://gpu.example.com)"},
		{"a year later", Certified, 366, ""},
		{"not certified", NotCertified, 0, ""},
		{"incomplete", Incomplete, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := schema.Report{}
			r.Cluster.Kubernetes = "v1.37.1"
			dir := t.TempDir()
			if err := certificate(d, r, Judgement{Verdict: tc.verdict}, nil, today).write(dir); err != nil {
				t.Fatal(err)
			}
			c, err := ReadCertificate(dir)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Badge("https://gpu.example.com", today.AddDate(0, 0, tc.days))
			if got != tc.want || errors.Is(err, ErrNoBadge) != (tc.want == "") {
				t.Errorf("%v, badge is %s", err, got)
			}
		})
	}
	if _, err := ReadCertificate(t.TempDir()); err == nil {
		t.Error("a certificate that is not there was read")
	}
}
