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
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/checks"
	"github.com/dra-conformance/dratest/framework/prove/components"
	"github.com/dra-conformance/dratest/framework/prove/lifecycle"
)

// Detection is the result of "dratest prove mutants" or "dratest prove stock" for a mutant, or of "dratest prove bugs"
// or "dratest prove life" for a driver bug.
type Detection struct {
	// Proof is the name of a bug's proof, as two proofs may have the same bug; empty for "dratest prove mutants".
	Proof  string `json:"proof,omitempty"`
	Mutant string `json:"mutant"`
	// By are the cases detecting it; none if it survived.
	By []string `json:"by,omitempty"`
	// Seconds is the duration of the trial.
	Seconds int `json:"seconds"`
	// Message is the first line of the first case's message, with placeholders for random names (see
	// anonymous).
	Message string `json:"says,omitempty"`
	// Where is the cluster of the trial, as "Kubernetes v1.37.1 (own)".
	Where string `json:"-"`
}

// detectionsAt are the detections on one cluster, as in kills.yaml.
type detectionsAt struct {
	Where      string      `json:"where"`
	Detections []Detection `json:"kills"`
}

//go:embed kills.yaml
var detectionsFile []byte

// Detections returns the committed record, one entry per tried mutant.
func Detections() ([]Detection, error) { return ParseDetections(detectionsFile) }

// ParseDetections reads a record written by RenderDetections.
func ParseDetections(data []byte) ([]Detection, error) {
	var groups []detectionsAt
	if err := yaml.UnmarshalStrict(data, &groups); err != nil {
		return nil, fmt.Errorf("read kills.yaml: %w", err)
	}
	var detections []Detection
	for _, group := range groups {
		for _, k := range group.Detections {
			k.Where = group.Where
			detections = append(detections, k)
		}
	}
	slices.SortFunc(detections, compareDetections)
	return detections, nil
}

func compareDetections(a, b Detection) int {
	return cmp.Or(strings.Compare(a.Proof, b.Proof), strings.Compare(a.Mutant, b.Mutant))
}

// names matches random names: of kind nodes, prefixed with their cluster, and simulated ones; of
// claims; and of directories of drivers running as a process.
var names = []struct {
	name        *regexp.Regexp
	placeholder string
}{
	{regexp.MustCompile(`\b[a-z0-9][-a-z0-9.]*-(control-plane|worker)[0-9]*\b|\bnode-[0-9]+\b`), "NODE"},
	{regexp.MustCompile(`[0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`sanity([-_])[bcdfghjklmnpqrstvwxz2456789]{5}`), "sanity${1}NAME"},
	{regexp.MustCompile(`(/[^\s/"]+)*/dratest[0-9]+/`), "ROOT/"},
}

// anonymous returns the first line of a text without such names.
func anonymous(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	for _, n := range names {
		text = n.name.ReplaceAllString(text, n.placeholder)
	}
	return text
}

// key identifies records of the same trial: the later one wins.
type key struct{ proof, mutant string }

// proofOf returns the value of Kill.Proof: empty for mutants.
func proofOf(r prove.Record) string {
	if r.Proof == checks.Name || r.Proof == lifecycle.Name || r.Proof == components.StockProof {
		return r.Proof
	}
	return ""
}

// AddDetections merges later results of proofs into the record. Trials without a verdict, or not
// applicable, are ignored.
func AddDetections(known []Detection, records ...prove.Record) []Detection {
	byMutant := map[key]Detection{}
	for _, k := range known {
		byMutant[key{k.Proof, k.Mutant}] = k
	}
	for _, r := range records {
		for _, x := range r.Results {
			if x.Problem != "" || x.NotApplicable {
				continue
			}
			k := Detection{Proof: proofOf(r), Mutant: x.ID, Seconds: int(x.Seconds + 0.5), Where: r.Where}
			if x.Detected {
				k.By, k.Message = slices.Sorted(slices.Values(x.By)), anonymous(x.Note)
			}
			// Trials done elsewhere are repeated only for the cases left there.
			if old := byMutant[key{k.Proof, k.Mutant}]; r.Rest && len(old.By) > 0 {
				k.By = slices.Compact(slices.Sorted(slices.Values(slices.Concat(old.By, k.By))))
				k.Message = cmp.Or(k.Message, old.Message)
			}
			byMutant[key{k.Proof, k.Mutant}] = k
		}
	}
	detections := make([]Detection, 0, len(byMutant))
	for _, k := range byMutant {
		detections = append(detections, k)
	}
	slices.SortFunc(detections, compareDetections)
	return detections
}

// RenderDetections returns kills.yaml: YAML with one line per mutant, grouped by cluster.
func RenderDetections(detections []Detection) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# What \"dratest prove mutants\", \"prove stock\", \"prove bugs\" and \"prove life\" have found, written by\n" +
		"# go test ./suites/catalogue -update -kills=REPORT_DIRECTORY[,…]\n")
	detections = slices.Clone(detections)
	slices.SortStableFunc(detections, func(a, b Detection) int { return cmp.Or(strings.Compare(a.Where, b.Where), compareDetections(a, b)) })
	where := ""
	for _, k := range detections {
		if k.Where != where {
			where = k.Where
			fmt.Fprintf(&b, "- where: %q\n  kills:\n", where)
		}
		b.WriteString("  - {")
		if k.Proof != "" {
			fmt.Fprintf(&b, "proof: %s, ", k.Proof)
		}
		fmt.Fprintf(&b, "mutant: %s, ", k.Mutant)
		if len(k.By) > 0 {
			fmt.Fprintf(&b, "by: [%s], ", strings.Join(k.By, ", "))
		}
		fmt.Fprintf(&b, "seconds: %d", k.Seconds)
		if k.Message != "" {
			message, err := json.Marshal(k.Message)
			if err != nil {
				return nil, fmt.Errorf("render the kill of %s: %w", k.Mutant, err)
			}
			fmt.Fprintf(&b, ", says: %s", message)
		}
		b.WriteString("}\n")
	}
	return b.Bytes(), nil
}
