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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/profile"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
	"github.com/dra-conformance/dratest/reports/verify"
)

// forgeries are manipulations of a certificate. reason is the error of verification as is, reforged the error after all
// digests are recomputed. reforged is empty if only a signature detects the manipulation (docs/evidence.md).
var forgeries = []struct {
	name     string
	do       func(t *testing.T, s sealed)
	reason   string
	reforged string
}{
	{"typed certificate", func(t *testing.T, s sealed) {
		s.put(t, reports.CertificateFile, []byte(`{"verdict":"certified","driver":"gpu.example.com","kubernetes":"v1.37.1","expires":"2099-01-01T00:00:00Z"}`))
	}, "certificate.json is truncated or changed", "certificate.json: decode certificate: its schema version is"},
	{"verdict in certificate.json", func(t *testing.T, s sealed) {
		s.put(t, reports.CertificateFile, []byte(strings.Replace(s.get(t, reports.CertificateFile), `"not certified"`, `"certified"`, 1)))
	}, "certificate.json is truncated or changed", `certificate.json: line 3 is "  "verdict": "certified"`},
	{"verdict in both files", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Verdict = schema.DriverCertified })
	}, "certificate.json is truncated or changed", `certificate.verdict is "certified", and the other files make it "not certified"`},
	{"result of the report", func(t *testing.T, s sealed) {
		s.conformance(t, func(c *schema.ConformanceReport) { c.Result = schema.ResultPassed })
	}, `result is "passed", and the other files make it "failed"`, `result is "passed", and the other files make it "failed"`},
	{"failure left out", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Failures = c.Failures[:1] })
	}, "certificate.json is truncated or changed", "certificate.failures[1] is missing"},
	{"profile", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Profiles[spec.ProfileRecovery] = schema.DriverCertified })
	}, "certificate.json is truncated or changed", `certificate.profiles.recovery is "certified", and the other files make it "not certified"`},
	{"version of the profile", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Profile = "driver v9" })
	}, "certificate.json is truncated or changed", `certificate.profile is "driver v9", and the other files make it "driver v`},
	{"expiry", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Expires = c.Date.AddDate(9, 0, 0) })
	}, "certificate.json was changed", `certificate.expires is "2035-11-22T12:01:00Z"`},
	{"date", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Date = c.Date.AddDate(9, 0, 0) })
	}, "certificate.json was changed", `certificate.date is "2035-11-22T12:01:00Z"`},
	{"version of Kubernetes", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Kubernetes = "v1.38.0" })
	}, "certificate.json was changed", `certificate.kubernetes is "v1.38.0", and the other files make it "v1.37.1"`},
	{"driver", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Driver = "other.example.com" })
	}, "certificate.json", `certificate.driver is "other.example.com"`},
	{"status of a case", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Cases[badCase] = string(spec.Passed) })
	}, "certificate.json was changed", `certificate.cases.life/killed is "Passed", and the other files make it "Failed"`},
	{"measured cost", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Costs[0].Value = 1 << 20 })
	}, "certificate.json is truncated or changed", "certificate.costs[memory].value is 1048576"},
	{"identity", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Identity.Organization = "Somebody Else" })
	}, "certificate.json is truncated or changed", `certificate.identity: organization is "Somebody Else"`},
	{"identity everywhere", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Identity.Organization = "Somebody Else" })
		s.conformance(t, func(c *schema.ConformanceReport) { c.Implementation.Organization = "Somebody Else" })
	}, "certificate.json is truncated or changed", ""},
	{"images", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Images = []string{"gpu:2 sha256:34"} })
	}, "certificate.json was changed", ""},
	{"observation", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Observations.Failures = nil })
	}, "certificate.json is truncated or changed", "certificate.failures[2] is"},
	{"observation, with all that follows", func(t *testing.T, s sealed) {
		s.certificate(t, func(c *schema.Certificate) { c.Observations.Failures = nil })
		s.report(t, func(*schema.Report) {})
	}, "", ""},
	{"limit of a cost", func(t *testing.T, s sealed) {
		s.declaration(t, func(d *declarations.Declaration) { d.Budget.Memory = "64Mi" })
	}, "declaration.yaml was changed", "certificate.costs[memory].limit is"},
	{"limit of a cost, with all that follows", func(t *testing.T, s sealed) {
		s.declaration(t, func(d *declarations.Declaration) { d.Budget.Memory = "64Mi" })
		s.report(t, func(*schema.Report) {})
	}, "", ""},
	{"exception", func(t *testing.T, s sealed) {
		s.declaration(t, func(d *declarations.Declaration) {
			d.Excepted = declarations.Exceptions{{Case: badCase, Reason: "soon", Issue: "x#1", Until: "2027-01-01"}}
		})
	}, "declaration.yaml was changed", "certificate.failures"},
	{"declaration of no budget", func(t *testing.T, s sealed) {
		s.declaration(t, func(d *declarations.Declaration) { d.Budget = declarations.Budget{} })
	}, "declaration.yaml", `certificate.profiles.budget is "not certified", and the other files make it missing`},
	{"no declaration", func(t *testing.T, s sealed) { s.put(t, reports.DeclarationFile, []byte("driver: [")) }, "declaration.yaml", "the certificate cannot be checked: declaration.yaml"},
	{"failed case as passed", func(t *testing.T, s sealed) {
		s.report(t, func(r *schema.Report) {
			for i := range r.Cases {
				if r.Cases[i].ID == badCase {
					r.Cases[i].Status, r.Cases[i].Failure = spec.Passed, ""
				}
			}
			r.Summary.Verdict, r.Summary.Passed, r.Summary.Failed = schema.Passed, 4, 0
		})
	}, `report.json: cases[life/killed].status is "Passed", and outcomes.jsonl makes it "Failed"`, `report.json: cases[life/killed].status is "Passed"`},
	{"failed case left out for a declared hook", leftOut(spec.SkipHook), "life/killed is left out with HookMissing, and the driver has the features and hooks that it needs", "life/killed is left out with HookMissing"},
	{"failed case left out for a feature that it does not need", leftOut(spec.SkipDriverFeature), "life/killed is left out with DriverFeatureMissing, and the driver has", "life/killed is left out with DriverFeatureMissing"},
	{"end of the run", func(t *testing.T, s sealed) {
		s.report(t, func(r *schema.Report) {
			r.Ended = r.Ended.AddDate(9, 0, 0)
			r.DurationSeconds = r.Ended.Sub(r.Started).Seconds()
		})
	}, "report.json: it ended at 2035-11-22T12:01:00Z", "report.json: it ended at 2035-11-22T12:01:00Z"},
	{"failed case as one with nothing to check", leftOut(spec.SkipCheck), "is no check of a driver's contract", "is no check of a driver's contract"},
	{"outcome of a check removed", func(t *testing.T, s sealed) {
		lines := strings.SplitAfter(s.get(t, reports.JournalFile), "\n")
		s.put(t, reports.JournalFile, []byte(strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, nothingToCheck) }), "")))
	}, "sanity/shares", "sanity/shares"},
	{"removed certificate.json", func(t *testing.T, s sealed) { s.remove(t, reports.CertificateFile) }, "certificate.json is missing", "it has no digest of certificate.json"},
	{"removed declaration", func(t *testing.T, s sealed) { s.remove(t, reports.DeclarationFile) }, "declaration.yaml is missing", "it has no digest of declaration.yaml"},
	{"removed certificate", func(t *testing.T, s sealed) {
		s.conformance(t, func(c *schema.ConformanceReport) { c.Certificate = nil })
	}, "it has no certificate", "it has no certificate"},
	{"certification as a run", func(t *testing.T, s sealed) {
		s.conformance(t, func(c *schema.ConformanceReport) { c.Engine, c.Certificate = schema.EngineRun, nil })
	}, "verify it with dratest", "verify it with dratest"},
	{"no such engine", func(t *testing.T, s sealed) {
		s.conformance(t, func(c *schema.ConformanceReport) { c.Engine = "trust-me" })
	}, `its engine is "trust-me", unknown to this dratest`, `its engine is "trust-me"`},
}

// leftOut turns the failed case into a skipped one.
func leftOut(code spec.SkipCode) func(*testing.T, sealed) {
	return func(t *testing.T, s sealed) {
		s.report(t, func(r *schema.Report) {
			for i := range r.Cases {
				if c := &r.Cases[i]; c.ID == badCase {
					c.Status, c.Failure, c.SkipCode, c.Reason = spec.NotApplicable, "", code, "the driver has it not"
				}
			}
		})
	}
}

func (s sealed) remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(s.dir, name)); err != nil {
		t.Fatal(err)
	}
}

func TestCertificationHolds(t *testing.T) {
	s := sealedCertification(t)
	if why := s.reasons(t); why != "" {
		t.Error(why)
	}
	s.conformance(t, func(c *schema.ConformanceReport) {
		if c.Result != schema.ResultFailed || c.Certificate.Verdict != schema.DriverNotCertified || len(c.Certificate.Failures) != 3 || len(c.Certificate.Costs) != 1 {
			t.Errorf("%s, %+v", c.Result, c.Certificate)
		}
	})
}

func TestForgeriesAreRefused(t *testing.T) {
	original := sealedCertification(t)
	check := func(t *testing.T, why, want string) {
		t.Helper()
		if want == "" && why != "" || !strings.Contains(why, want) {
			t.Errorf("want %q in\n%s", want, why)
		}
	}
	for _, f := range forgeries {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			s := original.copied(t)
			f.do(t, s)
			check(t, s.reasons(t), f.reason)
			s.redigest(t)
			check(t, s.reasons(t), f.reforged)
		})
	}
}

// A forger does not have the signer's key, but may sign with another one.
func TestSignatureRevealsEveryForgery(t *testing.T) {
	original := sealedCertification(t)
	mine, theirs := keys(t), keys(t)
	if err := sign.Directory(t.Context(), original.dir, mine.private); err != nil {
		t.Fatal(err)
	}
	if why := original.signature(t, mine.public); why != "" {
		t.Fatal(why)
	}
	for _, f := range forgeries {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			s := original.copied(t)
			f.do(t, s)
			if s.reasons(t)+s.signature(t, mine.public) == "" {
				t.Error("the forgery is not noticed")
			}
			s.redigest(t)
			if why := s.signature(t, mine.public); !strings.Contains(why, "subject[conformance-report.yaml].digest.sha256") {
				t.Errorf("with all digests made anew: %s", why)
			}
			if err := sign.Directory(t.Context(), s.dir, theirs.private); err != nil {
				t.Fatal(err)
			}
			if why := s.signature(t, mine.public); !strings.Contains(why, "it is not signed by the key "+mine.public.ID) {
				t.Errorf("signed with another key: %s", why)
			}
		})
	}
}

// A later build has an additional case, a renamed one, and other error messages.
func TestCertificateOutlivesItsBuild(t *testing.T) {
	s := sealedCertification(t)
	later := verify.Rules{Required: append([]schema.RequiredCase{{ID: "core/new", Level: spec.Must, DriverProfile: spec.ProfileCore}}, s.required()...), Certificate: Derive, Subject: Declared, Build: schema.Suite{Version: "v2"}}
	later.Required[1].ID += "-renamed"
	if why := s.reasonsOf(t, later); !strings.Contains(why, "verify it with dratest") {
		t.Errorf("a list that is not pinned: %s", why)
	}
	s.conformance(t, func(c *schema.ConformanceReport) {
		later.Versions = []profile.Version{{
			Version: strings.TrimSuffix(c.Profile.Version, profile.Draft), Lists: map[schema.Engine]string{schema.EngineCertify: schema.RequiredDigest(s.required())},
		}}
	})
	if why := s.reasonsOf(t, later); why != "" {
		t.Error(why)
	}
	for _, name := range append(reports.FilesOf(schema.EngineCertify), reports.ConformanceFile) {
		s.put(t, name, []byte(strings.ReplaceAll(s.get(t, name), "the driver costs more than is declared", "the driver exceeds its budget")))
	}
	s.redigest(t)
	if why := s.reasonsOf(t, later); why != "" {
		t.Error(why)
	}
	if why := s.reasons(t); !strings.Contains(why, "exceeds its budget") {
		t.Errorf("this build's own words were changed: %s", why)
	}
	for _, f := range forgeries {
		if f.reforged == "" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			s := s.copied(t)
			f.do(t, s)
			s.redigest(t)
			if s.reasonsOf(t, later) == "" {
				t.Error("a later build does not refuse the forgery")
			}
		})
	}
}

type pair struct{ private, public sign.Key }

func keys(t *testing.T) (p pair) {
	t.Helper()
	private, public, err := sign.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if p.private, err = sign.PrivateKey(private); err != nil {
		t.Fatal(err)
	}
	if p.public, err = sign.PublicKey(public); err != nil {
		t.Fatal(err)
	}
	return p
}
