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
	"github.com/dra-conformance/dratest/framework/prove/lifecycle"
)

// Kill is the result of "dratest prove mutants" for a mutant, or of "dratest prove bugs" or
// "dratest prove life" for a driver bug.
type Kill struct {
	// Proof is the name of a bug's proof, as two proofs may have the same bug; empty for a mutant.
	Proof  string `json:"proof,omitempty"`
	Mutant string `json:"mutant"`
	// By are the cases detecting it; none if it survived.
	By []string `json:"by,omitempty"`
	// Seconds is the duration of the trial.
	Seconds int `json:"seconds"`
	// Says is the first line of the first case's message, with placeholders for random names (see
	// anonymous).
	Says string `json:"says,omitempty"`
	// Where is the cluster of the trial, as "Kubernetes v1.37.1 (own)".
	Where string `json:"-"`
}

// killsAt are the kills on one cluster, as in kills.yaml: most were found on few.
type killsAt struct {
	Where string `json:"where"`
	Kills []Kill `json:"kills"`
}

//go:embed kills.yaml
var killsFile []byte

// Kills returns the committed record, one entry per tried mutant.
func Kills() ([]Kill, error) { return ParseKills(killsFile) }

// ParseKills reads a record written by RenderKills.
func ParseKills(data []byte) ([]Kill, error) {
	var groups []killsAt
	if err := yaml.UnmarshalStrict(data, &groups); err != nil {
		return nil, fmt.Errorf("read kills.yaml: %w", err)
	}
	var kills []Kill
	for _, group := range groups {
		for _, k := range group.Kills {
			k.Where = group.Where
			kills = append(kills, k)
		}
	}
	slices.SortFunc(kills, compareKills)
	return kills, nil
}

func compareKills(a, b Kill) int {
	return cmp.Or(strings.Compare(a.Proof, b.Proof), strings.Compare(a.Mutant, b.Mutant))
}

// names matches random names: of kind nodes, prefixed with their cluster, and simulated ones; of
// claims; and of directories of drivers running as a process.
var names = []struct {
	name *regexp.Regexp
	word string
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
		text = n.name.ReplaceAllString(text, n.word)
	}
	return text
}

// key identifies records of the same trial: the later one wins.
type key struct{ proof, mutant string }

// proofOf returns the value of Kill.Proof: empty for mutants.
func proofOf(r prove.Record) string {
	if r.Proof == checks.Name || r.Proof == lifecycle.Name {
		return r.Proof
	}
	return ""
}

// AddKills merges later results of proofs into the record. Trials without a verdict, or not
// applicable, are ignored.
func AddKills(known []Kill, records ...prove.Record) []Kill {
	byMutant := map[key]Kill{}
	for _, k := range known {
		byMutant[key{k.Proof, k.Mutant}] = k
	}
	for _, r := range records {
		for _, x := range r.Results {
			if x.Problem != "" || x.NotApplicable {
				continue
			}
			k := Kill{Proof: proofOf(r), Mutant: x.ID, Seconds: int(x.Seconds + 0.5), Where: r.Where}
			if x.Detected {
				k.By, k.Says = slices.Sorted(slices.Values(x.By)), anonymous(x.Note)
			}
			// Trials done elsewhere are repeated only for the cases left there.
			if old := byMutant[key{k.Proof, k.Mutant}]; r.Rest && len(old.By) > 0 {
				k.By = slices.Compact(slices.Sorted(slices.Values(slices.Concat(old.By, k.By))))
				k.Says = cmp.Or(k.Says, old.Says)
			}
			byMutant[key{k.Proof, k.Mutant}] = k
		}
	}
	kills := make([]Kill, 0, len(byMutant))
	for _, k := range byMutant {
		kills = append(kills, k)
	}
	slices.SortFunc(kills, compareKills)
	return kills
}

// RenderKills returns the file for Kills: YAML with one line per mutant, grouped by cluster.
func RenderKills(kills []Kill) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# What \"dratest prove mutants\", \"prove bugs\" and \"prove life\" have found, written by\n" +
		"# go test ./suites/catalogue -update -kills=REPORT_DIRECTORY[,…]\n")
	kills = slices.Clone(kills)
	slices.SortStableFunc(kills, func(a, b Kill) int { return cmp.Or(strings.Compare(a.Where, b.Where), compareKills(a, b)) })
	where := ""
	for _, k := range kills {
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
		if k.Says != "" {
			says, err := json.Marshal(k.Says)
			if err != nil {
				return nil, fmt.Errorf("render the kill of %s: %w", k.Mutant, err)
			}
			fmt.Fprintf(&b, ", says: %s", says)
		}
		b.WriteString("}\n")
	}
	return b.Bytes(), nil
}
