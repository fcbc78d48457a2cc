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

package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/profile"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
)

// certified writes the report of a certification of dra-sim with all driver cases passed.
func certified(t *testing.T, dir string, ended time.Time, signer sign.Signer) {
	t.Helper()
	shipped, err := declarations.Shipped("dra-sim")
	if err != nil {
		t.Fatal(err)
	}
	d := shipped.Declaration
	d.Budget = declarations.Budget{}
	list := rules()[schema.EngineCertify].Required
	p := spec.Plan{Target: spec.Target{Server: "https://c", Kubernetes: "v1.37.1", Nodes: []spec.Node{{Name: "a", Kubelet: "v1.37.1"}}}}
	var outcomes []spec.Outcome
	for _, m := range certifyMetas() {
		p.Entries = append(p.Entries, spec.Entry{Meta: m})
		outcomes = append(outcomes, spec.Outcome{ID: m.ID, Status: spec.Passed, Started: ended.Add(-time.Minute), Duration: time.Second})
	}
	info := reports.Info{
		Suite: reports.SuiteVersion(), Requirements: parts().Requirements, Driver: reports.DriverOf(d.Driver, ""), Started: ended.Add(-time.Hour), Ended: ended,
		Selection: schema.Selection{Parallel: 2},
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	writeJournal(t, dir, p, outcomes, info)
	r := reports.Judge(reports.Build(p, outcomes, info), profile.Run(spec.DriverTarget, info.Selection, schema.EngineCertify, list), list)
	text, err := declarations.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, reports.DeclarationFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
	identity := schema.Implementation(d.Identity)
	c, err := certify.Derive(os.DirFS(dir), list, r, schema.Certificate{Identity: identity})
	if err != nil {
		t.Fatal(err)
	}
	data, err := schema.EncodeCertificate(c)
	if err != nil {
		t.Fatal(err)
	}
	r = reports.Certified(r, c)
	facts := reports.Facts{Engine: schema.EngineCertify, Certificate: &c, Implementation: identity, Required: list}
	err = errors.Join(os.WriteFile(filepath.Join(dir, reports.CertificateFile), data, 0o600), reports.Write(dir, r))
	if err := errors.Join(err, sign.Seal(t.Context(), dir, r, outcomes, facts, signer)); err != nil {
		t.Fatal(err)
	}
}

func TestCertificateCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"mine", "other"} {
		if out, code := execute(t, "report", "keygen", name); code != 0 {
			t.Fatal(out)
		}
	}
	key, err := readKey("", "mine.pem", sign.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	certified(t, "plain", now, nil)
	certified(t, "signed", now, key)
	certified(t, "expired", now.AddDate(-1, 0, -2), nil)
	for _, edited := range []string{"changed", "fifo", "huge"} {
		certified(t, edited, now, nil)
	}
	replaceIn(t, filepath.Join("changed", reports.CertificateFile), `"v1.37.1"`, `"v1.38.0"`)
	fifo := filepath.Join("fifo", reports.CertificateFile)
	if err := errors.Join(os.Remove(fifo), syscall.Mkfifo(fifo, 0o644)); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join("huge", reports.DeclarationFile), 1<<40); err != nil {
		t.Fatal(err)
	}
	// A forged certificate in one line.
	typed, err := json.Marshal(map[string]string{"verdict": "certified", "driver": "x", "kubernetes": "v1.37.1", "expires": "2099-01-01T00:00:00Z"})
	if err := errors.Join(err, os.Mkdir("typed", 0o755), os.WriteFile(filepath.Join("typed", reports.CertificateFile), typed, 0o600)); err != nil {
		t.Fatal(err)
	}
	nothingCouldRun(t, "run")
	for command, file := range map[string]string{"soak": "soak.json", "perf": "perf.json"} {
		if err := errors.Join(os.Mkdir(command, 0o755), os.WriteFile(filepath.Join(command, file), []byte("{}"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"holds":                   {[]string{"verify", "plain"}, 0, "The certificate holds. dra-sim.dra-conformance.github.io v1 is certified (driver v"},
		"is signed":               {[]string{"verify", "signed", "--key", "mine.pub.pem"}, 0, "It is signed with key"},
		"another key":             {[]string{"verify", "signed", "--key", "other.pub.pem"}, 1, "it is not signed by the key"},
		"badge":                   {[]string{"badge", "plain"}, 0, "dratest driver v"},
		"badge, signed":           {[]string{"badge", "signed", "--key", "mine.pub.pem"}, 0, "passed on Kubernetes v1.37.1"},
		"badge, another key":      {[]string{"badge", "signed", "--key", "other.pub.pem"}, 1, "it is not signed by the key"},
		"badge, not signed":       {[]string{"badge", "plain", "--key", "mine.pub.pem"}, 1, "is not signed"},
		"badge, expired":          {[]string{"badge", "expired"}, 1, "certify the driver again"},
		"badge, changed":          {[]string{"badge", "changed"}, 1, "certificate.json was changed"},
		"badge, typed":            {[]string{"badge", "typed"}, codeUsage, "typed has no conformance-report.yaml"},
		"badge of a run":          {[]string{"badge", "run"}, codeUsage, "has no certificate"},
		"FIFO as certificate":     {[]string{"verify", "fifo"}, 1, "certificate.json"},
		"huge declaration":        {[]string{"verify", "huge"}, 1, "declaration.yaml"},
		"export":                  {[]string{"export", "plain", "--to", "out"}, 0, "v1.37"},
		"export, changed":         {[]string{"export", "changed", "--to", "out"}, 1, "certificate.json was changed"},
		"diff":                    {[]string{"diff", "plain", "signed"}, 0, "all cases came to the same"},
		"soak is not sealed":      {[]string{"verify", "soak"}, codeUsage, "results are not sealed"},
		"perf is not sealed":      {[]string{"verify", "perf"}, codeUsage, "results are not sealed"},
		"expired, but consistent": {[]string{"verify", "expired"}, 0, "The certificate holds"},
	} {
		t.Run(name, func(t *testing.T) {
			out, code := execute(t, append([]string{"report"}, tc.args...)...)
			if code != tc.code || !strings.Contains(out, tc.want) || tc.code != 0 && strings.Contains(out, "shields.io/badge") || strings.Contains(out, "certified for Kubernetes") {
				t.Errorf("exit code %d, want %d; %q is not in:\n%s", code, tc.code, tc.want, out)
			}
		})
	}
}

func replaceIn(t *testing.T, file, old, text string) {
	t.Helper()
	content := readFile(t, file)
	if !strings.Contains(content, old) {
		t.Fatalf("%s has not %q", file, old)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(content, old, text, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}
