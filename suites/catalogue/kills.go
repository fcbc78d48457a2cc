package catalogue

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/suites/prove"
)

// Kill is what "dratest prove mutants" has found of a mutant.
type Kill struct {
	Mutant string `json:"mutant"`
	// By are the cases that noticed; none for a mutant that survived.
	By []string `json:"by,omitempty"`
	// Seconds the trial took.
	Seconds int `json:"seconds"`
	// Says is the first line of what the first of the cases said, with NODE for the names
	// of nodes, which are those of a cluster that nobody knows.
	Says string `json:"says,omitempty"`
	// Where it was, as "Kubernetes v1.37.1 (own)".
	Where string `json:"where"`
}

//go:embed kills.yaml
var killsFile []byte

// Kills returns the committed record, one entry for each mutant that was tried.
func Kills() ([]Kill, error) {
	var kills []Kill
	if err := yaml.UnmarshalStrict(killsFile, &kills); err != nil {
		return nil, fmt.Errorf("read kills.yaml: %w", err)
	}
	return kills, nil
}

// nodeName is what kind's nodes are called, after their cluster, and simulated ones.
var nodeName = regexp.MustCompile(`\b[a-z0-9][-a-z0-9.]*-(control-plane|worker)[0-9]*\b|\bnode-[0-9]+\b`)

// AddKills returns the record with what proofs have found since; later records count.
// Trials without a verdict, or that did not apply, say nothing.
func AddKills(known []Kill, records ...prove.Record) []Kill {
	byMutant := map[string]Kill{}
	for _, k := range known {
		byMutant[k.Mutant] = k
	}
	for _, r := range records {
		for _, x := range r.Results {
			if x.Problem != "" || x.NotApplicable {
				continue
			}
			k := Kill{Mutant: x.ID, Seconds: int(x.Seconds + 0.5), Where: r.Where}
			if x.Shown {
				k.By = slices.Sorted(slices.Values(x.By))
				line, _, _ := strings.Cut(x.Note, "\n")
				k.Says = nodeName.ReplaceAllString(line, "NODE")
			}
			byMutant[x.ID] = k
		}
	}
	kills := make([]Kill, 0, len(byMutant))
	for _, k := range byMutant {
		kills = append(kills, k)
	}
	slices.SortFunc(kills, func(a, b Kill) int { return strings.Compare(a.Mutant, b.Mutant) })
	return kills
}

// RenderKills returns the file that Kills reads.
func RenderKills(kills []Kill) ([]byte, error) {
	content, err := yaml.Marshal(kills)
	if err != nil {
		return nil, fmt.Errorf("render kills: %w", err)
	}
	return append([]byte("# What \"dratest prove mutants\" has found, written by\n"+
		"# go test ./suites/catalogue -update -kills=REPORT_DIRECTORY[,…]\n"), content...), nil
}
