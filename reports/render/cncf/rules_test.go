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

package cncf_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/reports/render/cncf"
	"github.com/dra-conformance/dratest/reports/schema"
)

// These are the offline rules of github.com/cncf/k8s-ai-conformance, scripts/validate.go (as of
// 2026-08, and of pull request 141 about results), as far as a run can meet them: the test fills in
// the vendor's fields first.

type productYAML struct {
	Metadata map[string]string `json:"metadata"`
	Spec     map[string][]struct {
		ID, Level, Status, Notes string
		Evidence                 []string
	} `json:"spec"`
}

// checklist maps allowed requirements to their levels, from docs/AIConformance-1.37.yaml.
var checklist = map[string]map[string]string{
	"security":     {"secure_accelerator_access": "MUST"},
	"accelerators": {"driver_runtime_management": "SHOULD", "gpu_sharing": "SHOULD", "virtualized_accelerator": "SHOULD"},
}

var conformanceURL = regexp.MustCompile(`^https://github\.com/cncf/k8s-conformance/tree/(master|main)/v\d+\.\d+/[^/]+/?$`)

// broken returns the rules broken by a submission.
func broken(files map[string][]byte, onlyVendorsKnow map[string]string) []string {
	var errs []string
	refuse := func(format string, args ...any) { errs = append(errs, fmt.Sprintf(format, args...)) }
	var p productYAML
	if err := yaml.UnmarshalStrict(files["PRODUCT.yaml"], &p); err != nil {
		return []string{err.Error()}
	}
	for field, value := range onlyVendorsKnow {
		p.Metadata[field] = value
	}
	for _, field := range []string{
		"kubernetesVersion", "platformName", "platformVersion", "vendorName", "websiteUrl", "documentationUrl", "productLogoUrl", "description", "contactEmailAddress", "k8sConformanceUrl",
	} {
		value := p.Metadata[field]
		if value == "" || strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]") {
			refuse("metadata field %s is missing or a placeholder", field)
		}
	}
	if !conformanceURL.MatchString(p.Metadata["k8sConformanceUrl"]) {
		refuse("k8sConformanceUrl is malformed")
	}
	for category, levels := range checklist {
		for id, level := range levels {
			i := slices.IndexFunc(p.Spec[category], func(r struct {
				ID, Level, Status, Notes string
				Evidence                 []string
			}) bool {
				return r.ID == id
			})
			if i < 0 {
				refuse("requirement %s is missing", id)
				continue
			}
			r := p.Spec[category][i]
			if r.Level != level {
				refuse("level of %s was changed", id)
			}
			if level == "SHOULD" && r.Status == "" && len(r.Evidence) == 0 {
				continue
			}
			if !slices.Contains([]string{"Implemented", "Not Implemented", "Partially Implemented", "N/A"}, r.Status) {
				refuse("status %q of %s is invalid", r.Status, id)
			}
			if level == "MUST" && r.Status != "Implemented" {
				refuse("%s is MUST and %s", id, r.Status)
			}
			if r.Status == "Implemented" && len(r.Evidence) == 0 {
				refuse("%s has no evidence", id)
			}
			for _, e := range r.Evidence {
				errs = append(errs, evidence(files, e)...)
			}
		}
	}
	return errs
}

// evidence checks a piece of evidence: it is in the directory, none of its tests fails, and the
// referenced test passes.
func evidence(files map[string][]byte, reference string) (errs []string) {
	file, fragment, _ := strings.Cut(strings.TrimPrefix(reference, "file://"), "#")
	data, ok := files[file]
	if !ok || path.Base(file) != file {
		return []string{reference + " is not in the directory"}
	}
	results := map[string]string{}
	switch file {
	case "junit.xml":
		var doc struct {
			Suites []struct {
				Cases []struct {
					Name    string    `xml:"name,attr"`
					Failure *struct{} `xml:"failure"`
					Skipped *struct{} `xml:"skipped"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal(data, &doc); err != nil {
			return []string{err.Error()}
		}
		for _, c := range doc.Suites[0].Cases {
			results[c.Name] = map[bool]string{true: "fail", false: "pass"}[c.Failure != nil]
			if c.Skipped != nil {
				results[c.Name] = "skip"
			}
		}
	case "results.json":
		for line := range strings.Lines(string(data)) {
			var e struct{ Action, Test string }
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				return []string{err.Error()}
			}
			if e.Test != "" && slices.Contains([]string{"pass", "fail", "skip"}, e.Action) {
				results[e.Test] = e.Action
			}
		}
	case "e2e.log":
		for _, m := range regexp.MustCompile(`(?m)^\s*--- (PASS|FAIL|SKIP): (\S+) \(`).FindAllStringSubmatch(string(data), -1) {
			results[m[2]] = strings.ToLower(m[1])
		}
	}
	if len(results) == 0 {
		errs = append(errs, file+" has no results")
	}
	for name, result := range results {
		if result == "fail" {
			errs = append(errs, fmt.Sprintf("test artifact %s contains failing tests: %s", file, name))
		}
	}
	if fragment != "" && results[fragment] != "pass" {
		errs = append(errs, reference+" has not passed")
	}
	return errs
}

// vendor returns the vendor's fields.
func vendor() map[string]string {
	return map[string]string{
		"description": "A distribution.", "documentationUrl": "https://example.com/docs", "productLogoUrl": "https://example.com/logo.svg",
		"k8sConformanceUrl": "https://github.com/cncf/k8s-conformance/tree/master/v1.37/example",
	}
}

func TestRulesHold(t *testing.T) {
	files := render(t, read(t, "stock"))
	for _, e := range broken(files, vendor()) {
		t.Error(e)
	}
	// All three files agree.
	for _, id := range cncf.Isolation() {
		for _, file := range []string{cncf.JUnitFile, cncf.ResultsFile, cncf.LogFile} {
			for _, e := range evidence(files, file+"#"+cncf.TestName(id)) {
				t.Error(e)
			}
		}
	}
	if strings.Contains(string(files[cncf.LogFile]), "Running Suite") {
		t.Error("e2e.log is Ginkgo's, which the validator misreads")
	}
	// The known issue is in the notes, and not a failure in the log.
	for file, want := range map[string]string{cncf.ProductFile: "kubernetes#141274", cncf.LogFile: "--- SKIP: TestDRACore_EndedPod"} {
		if !strings.Contains(string(files[file]), want) {
			t.Errorf("%s has not %q", file, want)
		}
	}
}

func TestRulesRefuse(t *testing.T) {
	unshown := read(t, "stock")
	for i := range unshown.Cases {
		if unshown.Cases[i].ID == cncf.Isolation()[0] {
			unshown.Cases[i].Result = schema.CaseNotApplicable
		}
	}
	nameless := read(t, "stock")
	nameless.Implementation = schema.Implementation{}
	for name, tc := range map[string]struct {
		c    schema.ConformanceReport
		want string
	}{
		"a case failed":            {read(t, "run"), "secure_accelerator_access is MUST and Not Implemented"},
		"isolation was not shown":  {unshown, "secure_accelerator_access is MUST and Not Implemented"},
		"nobody says whose it was": {nameless, "metadata field vendorName is missing"},
	} {
		if errs := broken(render(t, tc.c), vendor()); !slices.Contains(errs, tc.want) && !strings.Contains(strings.Join(errs, "\n"), tc.want) {
			t.Errorf("%s: %q", name, errs)
		}
	}
	for _, e := range []string{"../other/junit.xml", "junit.xml#TestSecureAcceleratorAccess"} {
		if errs := evidence(render(t, read(t, "stock")), e); len(errs) == 0 {
			t.Errorf("%s is accepted", e)
		}
	}
	if errs := evidence(render(t, read(t, "run")), "e2e.log"); len(errs) != 1 || !strings.Contains(errs[0], "TestDRACore_EndedPod") {
		t.Errorf("got %q", errs)
	}
}
