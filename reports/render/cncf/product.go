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

package cncf

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/reports/schema"
)

// Isolation returns the cases proving container isolation: containers get the devices of their claims
// and no others.
func Isolation() []string {
	return []string{"core/one-device", "core/no-claim-no-device", "core/one-request-one-device"}
}

// product is the part of PRODUCT.yaml known from a run.
type product struct {
	Metadata map[string]string        `json:"metadata"`
	Spec     map[string][]requirement `json:"spec"`
}

// requirement is an item of the program's checklist. Its description stays unchanged.
type requirement struct {
	ID       string   `json:"id"`
	Level    string   `json:"level"`
	Status   string   `json:"status"`
	Evidence []string `json:"evidence"`
	Notes    string   `json:"notes"`
}

func renderProduct(c schema.ConformanceReport) ([]byte, error) {
	p := product{Metadata: metadata(c), Spec: map[string][]requirement{
		"security":     {isolation(c)},
		"accelerators": {},
	}}
	for _, id := range []string{"driver_runtime_management", "gpu_sharing", "virtualized_accelerator"} {
		p.Spec["accelerators"] = append(p.Spec["accelerators"], requirement{
			ID: id, Level: "SHOULD", Evidence: []string{}, Notes: "dratest has no case about this.",
		})
	}
	data, err := yaml.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", ProductFile, err)
	}
	head := "# A part of PRODUCT.yaml: fill these fields into the programme's checklist of this version of Kubernetes,\n# and see README.md for the fields that only you know.\n"
	return append([]byte(head), data...), nil
}

func metadata(c schema.ConformanceReport) map[string]string {
	m := map[string]string{"kubernetesVersion": minor(c.Cluster.Kubernetes)}
	for field, value := range map[string]string{
		"platformName": c.Implementation.Project, "platformVersion": c.Implementation.Version,
		"vendorName": c.Implementation.Organization, "websiteUrl": c.Implementation.URL,
	} {
		if value != "" {
			m[field] = value
		}
	}
	for _, contact := range c.Implementation.Contact {
		if strings.Contains(contact, "@") && m["contactEmailAddress"] == "" {
			m["contactEmailAddress"] = contact
		}
	}
	return m
}

// isolation is implemented if all isolation cases passed. The validator rejects evidence from results
// with any failed test.
func isolation(c schema.ConformanceReport) requirement {
	r := requirement{ID: "secure_accelerator_access", Level: "MUST", Status: "Implemented", Evidence: []string{}}
	for _, id := range Isolation() {
		i := slices.IndexFunc(c.Cases, func(each schema.ConformanceCase) bool { return each.ID == id })
		if i < 0 || c.Cases[i].Result != schema.CasePassed {
			r.Status = "Not Implemented"
			r.Notes += "Case " + id + " has not passed. "
			continue
		}
		r.Evidence = append(r.Evidence, JUnitFile+"#"+TestName(id))
	}
	if failed(testsOf(c)) {
		r.Status, r.Evidence = "Not Implemented", []string{}
		r.Notes += "Cases failed, or have no verdict. "
	}
	r.Notes += fmt.Sprintf("Shown with driver %s on Kubernetes %s: a container gets the devices of its claim through the kubelet, CDI and the container runtime, and no others.",
		c.Driver.Name, c.Cluster.Kubernetes)
	if c.Driver.Name == simulated {
		r.Notes += " The devices of that driver are simulated: add what shows the same with your accelerator."
	}
	for _, issue := range c.KnownIssues.Seen {
		r.Notes += fmt.Sprintf(" Known issue of Kubernetes, %s: %s.", issue.Case, issue.What)
	}
	return r
}

// simulated is the name of dratest's own driver.
const simulated = "dra-sim"

// renderReadme describes how to reproduce the results.
func renderReadme(c schema.ConformanceReport) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# DRA conformance of %s on Kubernetes %s\n\n", strings.TrimSpace(cmp.Or(c.Implementation.Project, c.Driver.Name)+" "+c.Implementation.Version), c.Cluster.Kubernetes)
	fmt.Fprintf(&b, "Result: %s. %s.\n", c.Result, c.Summary)
	for _, reason := range c.Reasons {
		fmt.Fprintf(&b, "- %s\n", reason)
	}
	fmt.Fprintf(&b, "\n## How to reproduce\n\n1. Get dratest %s (%s), whose program has the digest %s.\n2. Run it as it was run for this:\n\n", c.Suite.Version, cmp.Or(c.Suite.Commit, "no commit"), c.Suite.Binary)
	fmt.Fprintf(&b, "   ```\n   %s\n   ```\n\n", quoted(c.Run.Command))
	fmt.Fprintf(&b, "3. `dratest report export --format cncf` makes these files from its report directory, and `dratest report verify` checks that. Cases ran in an order from seed %d, %d at a time.\n", c.Run.Seed, c.Run.Selection.Parallel)
	b.WriteString("\n## What the files say\n\n" +
		"`e2e.log`, `results.json` and `junit.xml` say the same, in the formats of `go test -v`, `go test -json` and JUnit. Each test is a case of dratest: " +
		"`" + TestName("core/one-device") + "` is `core/one-device`. Skipped are cases that do not apply or were left out, and, as they fail no run and have not passed, known issues of Kubernetes and warnings; each says why. " +
		"`" + c.FileName() + "` is the conformance report with the digests of all evidence.\n")
	if len(c.KnownIssues.Seen) > 0 {
		b.WriteString("\n## Known issues of Kubernetes\n\n")
		for _, issue := range c.KnownIssues.Seen {
			fmt.Fprintf(&b, "- `%s` (%s): %s\n", issue.Case, issue.Basis, issue.What)
		}
	}
	b.WriteString("\n## What is to be added to PRODUCT.yaml\n\n" +
		"Take the programme's checklist for this version of Kubernetes, fill in what PRODUCT.yaml here has, and leave `id`, `description` and `level` as they are. Only you know " +
		"`description`, `documentationUrl`, `productLogoUrl`, `k8sConformanceUrl`, and whatever of `vendorName`, `platformName`, `platformVersion`, `websiteUrl` and `contactEmailAddress` is missing.\n")
	return b.Bytes()
}

// quoted returns a command line with shell quoting.
func quoted(command []string) string {
	var parts []string
	for _, arg := range command {
		if arg == "" || strings.ContainsAny(arg, " \t\n'\"\\$&|;<>()*?[]#~`!{}^") {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		parts = append(parts, arg)
	}
	return strings.Join(parts, " ")
}
