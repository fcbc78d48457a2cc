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

package diff_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/diff"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestCertificates(t *testing.T) {
	certification := func(verdict, recovery schema.DriverVerdict) schema.ConformanceReport {
		return schema.ConformanceReport{Certificate: &schema.Certificate{Judgement: schema.Judgement{
			Verdict: verdict, Profiles: map[spec.DriverProfile]schema.DriverVerdict{spec.ProfileRecovery: recovery},
		}}}
	}
	for name, tc := range map[string]struct {
		a, b schema.ConformanceReport
		want string
	}{
		"same":        {certification("certified", "certified"), certification("certified", "certified"), "all cases came to the same\n"},
		"worse":       {certification("certified", "certified"), certification("not certified", "not certified"), "worse  certificate: certified -> not certified\nworse  profile recovery: certified -> not certified\nworse\n"},
		"better":      {certification("incomplete", ""), certification("certified", "certified"), "better certificate: incomplete -> certified\nbetter profile recovery: (none) -> certified\nnot worse\n"},
		"not for run": {schema.ConformanceReport{}, certification("certified", "certified"), "all cases came to the same\n"},
	} {
		d, err := diff.Compare(tc.a, tc.b)
		if err != nil {
			t.Fatal(err)
		}
		if got := cmp.Diff(tc.want, diff.Text(d)); got != "" {
			t.Errorf("%s: want -, got +:\n%s", name, got)
		}
	}
}
