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

package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/prove/apiserver"
	"github.com/dra-conformance/dratest/framework/prove/checks"
	"github.com/dra-conformance/dratest/framework/prove/components"
	"github.com/dra-conformance/dratest/framework/prove/lifecycle"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Mutants has all mutants and driver bugs.
type Mutants struct {
	Driver     []spec.Mutant
	Components []components.Mutant
	// Stock are bugs put into Kubernetes' own components.
	Stock []components.Mutant
	API   []apiserver.Mutant
	// Sanity and Lifecycle are driver mutants for the checks of "dratest sanity" and the lifecycle
	// cases.
	Sanity, Lifecycle []spec.Defect
}

// Has reports whether the mutant of a record still exists.
func (b Mutants) Has(k Detection) bool {
	named := func(d spec.Defect) bool { return d.ID == k.Mutant }
	switch k.Proof {
	case checks.Name:
		return slices.ContainsFunc(b.Sanity, named)
	case lifecycle.Name:
		return slices.ContainsFunc(b.Lifecycle, named)
	case components.StockProof:
		return slices.ContainsFunc(b.Stock, func(m components.Mutant) bool { return m.ID == k.Mutant })
	default:
		return slices.ContainsFunc(b.Components, func(m components.Mutant) bool { return m.ID == k.Mutant }) ||
			slices.ContainsFunc(b.API, func(m apiserver.Mutant) bool { return m.ID == k.Mutant }) ||
			slices.ContainsFunc(b.Driver, func(m spec.Mutant) bool { return m.ID == k.Mutant })
	}
}

// LoadMutants returns all mutants known to this program.
func LoadMutants() (Mutants, error) {
	mutants, err := components.Load()
	if err != nil {
		return Mutants{}, err
	}
	ofStock, err := components.LoadStock()
	if err != nil {
		return Mutants{}, err
	}
	ofAPI, err := apiserver.Load()
	if err != nil {
		return Mutants{}, err
	}
	b := Mutants{Driver: spec.Mutants(), Components: mutants, Stock: ofStock, API: ofAPI}
	for _, m := range checks.WithCheck() {
		b.Sanity = append(b.Sanity, m.Defect)
	}
	for _, m := range lifecycle.WithCases() {
		b.Lifecycle = append(b.Lifecycle, m.Defect)
	}
	return b, nil
}

// RenderMutants returns a Markdown document of the mutants and the cases detecting them.
func RenderMutants(mutants Mutants, detections []Detection) []byte {
	found := map[key]Detection{}
	for _, k := range detections {
		found[key{k.Proof, k.Mutant}] = k
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Mutants\n\n"+
		"`.ci/mutants DIRECTORY` runs the cases with one mutant at a time: in this project's components and companions, the API\n"+
		"server or the test driver. A mutant is detected if a case for a violated requirement fails with it, and passes without it.\n"+
		"%s\n", counted(detections, "", len(mutants.Components)+len(mutants.API)+len(mutants.Driver)))
	for _, component := range components.Components(mutants.Components) {
		fmt.Fprintf(&b, "\n## %s\n%s", component, mutantsHead)
		for _, m := range mutants.Components {
			if m.Component() == component {
				renderMutant(&b, m.Defect, "", found)
			}
		}
	}
	for _, of := range []struct{ component, title string }{
		{"", "API server"}, {"scheduler", "API server, to the scheduler"}, {"controllers", "API server, to the controllers"},
	} {
		fmt.Fprintf(&b, "\n## %s\n%s", of.title, mutantsHead)
		for _, m := range mutants.API {
			if m.Of == of.component {
				renderMutant(&b, m.Defect, "", found)
			}
		}
	}
	fmt.Fprintf(&b, "\n## Kubernetes' own components\n\n`dratest prove stock` puts published bugs into Kubernetes' components. %s\n%s",
		counted(detections, components.StockProof, len(mutants.Stock)), mutantsHead)
	for _, m := range mutants.Stock {
		renderMutant(&b, m.Defect, components.StockProof, found)
	}
	b.WriteString("\n## test driver\n\nDetected by every case naming it in `Catches`.\n\n| mutant | what is broken | detected by | seconds |\n|---|---|---|---|\n")
	for _, m := range mutants.Driver {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.ID, m.What, verdict(found, key{"", m.ID}))
	}
	b.WriteString("\n## drivers, checked by `dratest sanity`\n\n" +
		"`dratest prove bugs` runs the sanity checks against the test driver with bugs, most of them of published drivers. The check for the bug\n" +
		"must fail, and pass without it. " + counted(detections, checks.Name, len(mutants.Sanity)) + "\n")
	renderDriverMutants(&b, mutants.Sanity, checks.Name, found)
	b.WriteString("\n## drivers, tested by `dratest certify`\n\n" +
		"`dratest prove life` does the same for `dratest certify`, with the test driver installed as by a vendor, and lifecycle cases.\n" +
		counted(detections, lifecycle.Name, len(mutants.Lifecycle)) + "\n")
	renderDriverMutants(&b, mutants.Lifecycle, lifecycle.Name, found)
	return []byte(b.String())
}

// mutantsHead is the table header for mutants with requirements.
const mutantsHead = "\n| mutant | what is broken | requirement | had the bug | detected by | seconds |\n|---|---|---|---|---|---|\n"

func renderMutant(b *strings.Builder, d spec.Defect, proof string, found map[key]Detection) {
	var promises []string
	for _, r := range d.Requires {
		promises = append(promises, "`"+string(r)+"`")
	}
	had := ""
	if d.Issue != "" {
		had = "Kubernetes: " + strings.TrimPrefix(link(d.Issue), "none; ")
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", d.ID, d.What, strings.Join(promises, ", "), had, verdict(found, key{proof, d.ID}))
}

func renderDriverMutants(b *strings.Builder, all []spec.Defect, proof string, found map[key]Detection) {
	b.WriteString("\n| bug | what is wrong | had the bug | detected by | seconds |\n|---|---|---|---|---|\n")
	for _, mutant := range all {
		had := ""
		if repository, number, ok := strings.Cut(mutant.Issue, "#"); ok {
			had = fmt.Sprintf("[%s](https://github.com/%s/issues/%s)", mutant.Issue, repository, number)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", mutant.ID, mutant.What, had, verdict(found, key{proof, mutant.ID}))
	}
}

// counted returns a summary of tried and detected mutants.
func counted(detections []Detection, proof string, total int) string {
	tried, detected := 0, 0
	for _, k := range detections {
		if k.Proof != proof {
			continue
		}
		tried++
		if len(k.By) > 0 {
			detected++
		}
	}
	return fmt.Sprintf("In the last attempt of each, %d of %d were detected; %d of %d have a record.", detected, tried, tried, total)
}

// verdict returns two columns: the cases detecting a mutant, and the seconds.
func verdict(found map[key]Detection, of key) string {
	k, ok := found[of]
	switch {
	case !ok:
		return "no record | "
	case len(k.By) == 0:
		return "**survived** | "
	}
	var by []string
	for _, id := range slices.Sorted(slices.Values(k.By)) {
		by = append(by, "`"+id+"`")
	}
	return fmt.Sprintf("%s | %d", strings.Join(by, ", "), k.Seconds)
}
