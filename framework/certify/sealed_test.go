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
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/profile"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
	"github.com/dra-conformance/dratest/reports/verify"
)

// sealed is the report directory of a certification. Its driver fails a case, restarts, and uses more memory than
// declared.
type sealed struct {
	dir   string
	parts run.Parts
}

// badCase fails in a sealed certification.
const badCase = "life/killed"

// nothingToCheck is a check of the contract, and the driver has nothing for it.
const nothingToCheck = "sanity/shares"

func sealedCertification(t *testing.T) sealed {
	t.Helper()
	shipped, err := declarations.Shipped("dra-sim")
	if err != nil {
		t.Fatal(err)
	}
	d := shipped.Declaration
	d.Features, d.Budget = declarations.Features{spec.DriverSharedClaim: true}, declarations.Budget{Memory: "32Mi"}
	s := sealed{dir: t.TempDir(), parts: run.Parts{DriverUnderTest: &running{}, Requirements: []spec.Requirement{{ID: "kep-4381/x", Level: spec.Must}}}}
	for id, needs := range map[string]spec.Needs{
		"core/a": {Devices: 1}, "core/shared": {Devices: 1, DriverFeatures: []spec.DriverFeature{spec.DriverSharedClaim}},
		badCase: {Devices: 1, Disruption: true, DriverPods: true, Hooks: []spec.HookName{spec.HookReboot}}, spec.CaseOfCosts: {Devices: 1, Disruption: true},
		nothingToCheck: {Contract: true},
	} {
		s.parts.Cases = append(s.parts.Cases, harness.Case{Meta: spec.Meta{ID: id, Checks: "It does.", Needs: needs, Requires: []spec.RequirementID{"kep-4381/x"}}})
	}
	outcomes := s.ran(t)
	p := spec.Plan{Target: spec.Target{Server: "https://c", Kubernetes: "v1.37.1", Nodes: []spec.Node{{Name: "a", Kubelet: "v1.37.1", Runtime: "containerd://2.2.0"}}}}
	for _, c := range s.parts.Cases {
		p.Entries = append(p.Entries, spec.Entry{Meta: c.Meta})
	}
	r := reports.Judge(reports.Build(p, outcomes, reports.Info{
		Driver: reports.DriverOf(d.Driver, ""), Selection: schema.Selection{Parallel: 2}, Requirements: s.parts.Requirements, Started: today, Ended: today.Add(time.Minute),
	}), profile.Run(spec.DriverTarget, schema.Selection{}, schema.EngineCertify, s.required()), s.required())
	seen := schema.Observations{Features: []spec.DriverFeature{spec.DriverSharedClaim}, Failures: []string{"the driver's pod gpu/gpu-x on node a was restarted 1 time(s) during the run"}}
	o := run.Options{Config: testbed.Config{ReportDir: s.dir}, Identity: schema.Implementation(d.Identity), Parallel: 2}
	c := certificate(facts{declaration: d, report: r, cases: s.required(), seen: seen}, o.Identity, []string{"gpu:1 sha256:12"})
	if err := write(s.dir, c, d); err != nil {
		t.Fatal(err)
	}
	if err := run.Certify(t.Context(), s.parts, o, r, c); err != nil {
		t.Fatal(err)
	}
	return s
}

// ran writes journal and log.
func (s sealed) ran(t *testing.T) (outcomes []spec.Outcome) {
	t.Helper()
	w, err := journal.Append(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	records := []journal.Record{{Run: &journal.Run{Kubernetes: "v1.37.1", Selection: schema.Selection{Parallel: 2}}}}
	log := "Running Suite: dratest\n"
	for _, c := range s.parts.Cases {
		o := spec.Outcome{ID: c.ID, Status: spec.Passed, Started: today, Duration: time.Second}
		head := "• [1.0 seconds]\n"
		switch c.ID {
		case badCase:
			o.Status, o.Failure, head = spec.Failed, "the claim is gone", "• [FAILED] [1.0 seconds]\n"
		case nothingToCheck:
			o.Status, o.Reason = spec.NotApplicable, "the driver has no shares"
		case spec.CaseOfCosts:
			o.Measured = []spec.Measurement{{Name: spec.DriverMemory, Unit: "bytes", Value: 48 << 20, Samples: 12}}
		}
		outcomes = append(outcomes, o)
		records = append(records, journal.Record{Progress: spec.Progress{ID: c.ID}}, journal.Record{Progress: spec.Progress{ID: c.ID, Outcome: &o}})
		if c.ID != nothingToCheck {
			log += strings.Repeat("-", 30) + "\n" + head + c.ID + " It does.\n"
		}
	}
	log += strings.Repeat("-", 30) + "\nFAIL! -- 3 Passed | 1 Failed | 0 Pending | 0 Skipped\n"
	log += reports.CheckLine(spec.Outcome{ID: nothingToCheck, Status: spec.NotApplicable}) + "\n"
	for _, r := range records {
		r.Time = today
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s.put(t, reports.LogFile, []byte(log))
	return outcomes
}

func (s sealed) required() []schema.RequiredCase {
	return schema.Required(run.Metas(s.parts.Cases), s.parts.Requirements)
}

func (s sealed) put(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s sealed) get(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// conformance changes the conformance report.
func (s sealed) conformance(t *testing.T, change func(*schema.ConformanceReport)) {
	t.Helper()
	c, err := schema.DecodeConformance([]byte(s.get(t, reports.ConformanceFile)))
	if err != nil {
		t.Fatal(err)
	}
	change(&c)
	data, err := schema.EncodeConformance(c)
	if err != nil {
		t.Fatal(err)
	}
	s.put(t, reports.ConformanceFile, data)
}

// certificate changes the certificate in both of its files.
func (s sealed) certificate(t *testing.T, change func(*schema.Certificate)) {
	t.Helper()
	s.conformance(t, func(c *schema.ConformanceReport) {
		change(c.Certificate)
		data, err := schema.EncodeCertificate(*c.Certificate)
		if err != nil {
			t.Fatal(err)
		}
		s.put(t, reports.CertificateFile, data)
	})
}

// declaration changes the declaration.
func (s sealed) declaration(t *testing.T, change func(*declarations.Declaration)) {
	t.Helper()
	d, err := declarations.Parse([]byte(s.get(t, reports.DeclarationFile)))
	if err != nil {
		t.Fatal(err)
	}
	change(&d)
	data, err := declarations.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	s.put(t, reports.DeclarationFile, data)
}

// report changes report.json and recreates all files except journal and log, as dratest would.
func (s sealed) report(t *testing.T, change func(*schema.Report)) {
	t.Helper()
	r, err := schema.Decode([]byte(s.get(t, reports.JSONFile)))
	if err != nil {
		t.Fatal(err)
	}
	change(&r)
	s.again(t, r)
}

// again recreates certificate and conformance report from the other files.
func (s sealed) again(t *testing.T, r schema.Report) {
	t.Helper()
	var outcomes []spec.Outcome
	for line := range strings.Lines(s.get(t, reports.JournalFile)) {
		var p spec.Progress
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		if p.Outcome != nil {
			outcomes = append(outcomes, *p.Outcome)
		}
	}
	s.conformance(t, func(c *schema.ConformanceReport) {
		derived, err := Derive(os.DirFS(s.dir), s.required(), r, *c.Certificate)
		if err != nil {
			t.Fatal(err)
		}
		d, err := declarations.Parse([]byte(s.get(t, reports.DeclarationFile)))
		if err != nil {
			t.Fatal(err)
		}
		if err := write(s.dir, derived, d); err != nil {
			t.Fatal(err)
		}
		r = reports.Certified(r, derived)
		if err := reports.Write(s.dir, r); err != nil {
			t.Fatal(err)
		}
		*c, err = reports.Seal(s.dir, r, outcomes, reports.Facts{
			Implementation: c.Implementation, Engine: c.Engine, Certificate: &derived, Command: c.Run.Command, Binary: c.Suite.Binary, Required: s.required(),
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// redigest updates the digests in the conformance report, as a forger would.
func (s sealed) redigest(t *testing.T) {
	t.Helper()
	s.conformance(t, func(c *schema.ConformanceReport) {
		var found []schema.File
		for _, f := range c.Files {
			if got, err := reports.Digest(os.DirFS(s.dir), f.Path); err == nil {
				found = append(found, got)
			}
		}
		c.Files = found
	})
}

// reasons returns the errors of verification.
func (s sealed) reasons(t *testing.T) string {
	t.Helper()
	return s.reasonsOf(t, verify.Rules{Required: s.required(), Versions: profile.Versions(), Certificate: Derive, Subject: Declared})
}

// reasonsOf returns the errors of verification by the rules of a build.
func (s sealed) reasonsOf(t *testing.T, rules verify.Rules) string {
	t.Helper()
	_, why, err := verify.Directory(os.DirFS(s.dir), map[schema.Engine]verify.Rules{
		schema.EngineCertify: rules,
		schema.EngineRun:     {Required: s.required()[1:]},
	})
	if err != nil {
		why = append(why, err.Error())
	}
	return strings.Join(why, "\n")
}

func (s sealed) signature(t *testing.T, key sign.Key) string {
	t.Helper()
	_, why, err := sign.Verify(context.Background(), os.DirFS(s.dir), &key)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(why, "\n")
}

// copied returns a copy of the directory.
func (s sealed) copied(t *testing.T) sealed {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(s.dir)); err != nil {
		t.Fatal(err)
	}
	s.dir = dir
	return s
}
