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
	"github.com/dra-conformance/dratest/framework/prove/bugs"
	"github.com/dra-conformance/dratest/framework/prove/life"
)

// Kill is what "dratest prove mutants" has found of a mutant, or "dratest prove bugs" or
// "dratest prove life" of a driver's bug.
type Kill struct {
	// Proof is the name of the proof for a bug, which may be in both; empty for a mutant.
	Proof  string `json:"proof,omitempty"`
	Mutant string `json:"mutant"`
	// By are the cases that noticed; none for a mutant that survived.
	By []string `json:"by,omitempty"`
	// Seconds the trial took.
	Seconds int `json:"seconds"`
	// Says is the first line of what the first of the cases said, with words in place of
	// names that are others each time (see anonymous).
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

// names are those that nobody knows: of kind's nodes, which are called after their cluster,
// and of simulated ones; of claims; and of the directories of a driver that is a process.
var names = []struct {
	name *regexp.Regexp
	word string
}{
	{regexp.MustCompile(`\b[a-z0-9][-a-z0-9.]*-(control-plane|worker)[0-9]*\b|\bnode-[0-9]+\b`), "NODE"},
	{regexp.MustCompile(`[0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`sanity([-_])[bcdfghjklmnpqrstvwxz2456789]{5}`), "sanity${1}NAME"},
	{regexp.MustCompile(`(/[^\s/"]+)*/dratest[0-9]+/`), "ROOT/"},
}

// anonymous is the first line of a text, without such names.
func anonymous(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	for _, n := range names {
		text = n.name.ReplaceAllString(text, n.word)
	}
	return text
}

// key is which of two records counts, the later one.
type key struct{ proof, mutant string }

// proofOf is what Kill says of a proof: the mutants' is the one that is not named.
func proofOf(r prove.Record) string {
	if r.Proof == bugs.Name || r.Proof == life.Name {
		return r.Proof
	}
	return ""
}

// AddKills returns the record with what proofs have found since; later records count.
// Trials without a verdict, or that did not apply, say nothing.
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
			if x.Shown {
				k.By, k.Says = slices.Sorted(slices.Values(x.By)), anonymous(x.Note)
			}
			// What was done elsewhere is done again only for cases that were left there.
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
	slices.SortFunc(kills, func(a, b Kill) int {
		return cmp.Or(strings.Compare(a.Proof, b.Proof), strings.Compare(a.Mutant, b.Mutant))
	})
	return kills
}

// RenderKills returns the file that Kills reads: YAML with one line per mutant.
func RenderKills(kills []Kill) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# What \"dratest prove mutants\", \"prove bugs\" and \"prove life\" have found, written by\n" +
		"# go test ./suites/catalogue -update -kills=REPORT_DIRECTORY[,…]\n")
	for _, k := range kills {
		b.WriteString("- {")
		if k.Proof != "" {
			fmt.Fprintf(&b, "proof: %s, ", k.Proof)
		}
		fmt.Fprintf(&b, "mutant: %s, ", k.Mutant)
		if len(k.By) > 0 {
			fmt.Fprintf(&b, "by: [%s], ", strings.Join(k.By, ", "))
		}
		fmt.Fprintf(&b, "seconds: %d, ", k.Seconds)
		if k.Says != "" {
			says, err := json.Marshal(k.Says)
			if err != nil {
				return nil, fmt.Errorf("render the kill of %s: %w", k.Mutant, err)
			}
			fmt.Fprintf(&b, "says: %s, ", says)
		}
		fmt.Fprintf(&b, "where: %q}\n", k.Where)
	}
	return b.Bytes(), nil
}
