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
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/verify"
)

// pastReports are report directories of v1 of the profiles, written by commit 32bd3730. They are never
// written again: if one no longer verifies, the reports and certificates of users do not either.
func pastReports() map[string]schema.Engine {
	const v1 = "../../reports/testdata/v1/"
	return map[string]schema.Engine{v1 + "run": schema.EngineRun, v1 + "certificate": schema.EngineCertify}
}

func TestPastReportsVerify(t *testing.T) {
	for dir := range pastReports() {
		if out, code := execute(t, "report", "verify", dir); code != 0 || !strings.Contains(out, "holds.") {
			t.Errorf("%s: exit code %d:\n%s", dir, code, out)
		}
	}
}

// A build with one more MUST and a renamed case is any later build.
func TestPastReportsVerifyWithAnotherCatalogue(t *testing.T) {
	for dir, engine := range pastReports() {
		engines := rules()
		later := engines[engine]
		later.Required = append(slices.Clone(later.Required), schema.RequiredCase{
			ID: "core/new", Level: spec.Must, Requirements: []spec.RequirementID{"kep-1/new"}, DriverProfile: spec.ProfileCore,
			Profiles: []spec.ConformanceProfile{spec.ClusterTarget, spec.ControlPlaneTarget, spec.DriverTarget},
		})
		renamed := slices.IndexFunc(later.Required, func(c schema.RequiredCase) bool {
			return c.ID == "core/one-request-one-device" || c.ID == "api/claim-alternatives"
		})
		later.Required[renamed].ID += "-renamed"
		engines[engine] = later
		if _, reasons, err := verify.Directory(os.DirFS(dir), engines); err != nil || len(reasons) > 0 {
			t.Errorf("%s: %v, %v", dir, err, reasons)
		}
	}
}

// An older build cannot judge a report of a newer version, and names the build that can.
func TestReportsOfALaterVersionNameTheirBuild(t *testing.T) {
	for from, engine := range pastReports() {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, reports.ConformanceFile)
		c, err := schema.DecodeConformance([]byte(readFile(t, file)))
		if err != nil {
			t.Fatal(err)
		}
		c.Profile.Version, c.Suite.RequiredCases = "v9", "sha256:"+strings.Repeat("0", 64)
		data, err := schema.EncodeConformance(c)
		if err := errors.Join(err, os.WriteFile(file, data, 0o600)); err != nil {
			t.Fatal(err)
		}
		out, code := execute(t, "report", "verify", dir)
		for _, want := range []string{"profile " + c.Profile.String() + " is newer than v", "verify it with dratest " + c.Suite.Version + " " + c.Suite.Commit + ", which wrote it, or a newer one"} {
			if code != codeUsage || !strings.Contains(out, want) {
				t.Errorf("%s: exit code %d, want %d with %q:\n%s", engine, code, codeUsage, want, out)
			}
		}
	}
}
