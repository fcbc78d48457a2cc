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

package prove

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Proof is a list of trials.
type Proof struct {
	// Name is the subject of the proof, as "mutants".
	Name string
	// Keyword is the participle for a successful trial, as "detected".
	Keyword string
	// Where is the environment of the trials, as "Kubernetes v1.37.1": results of other environments must not be mixed
	// in.
	Where  string
	Trials []Trial
	// Observers are the observers expected to detect at least one trial each, as cases; the last line counts those
	// without any. Empty if not required.
	Observers []string
	// Rest: other parts were done elsewhere; see Rest.
	Rest bool
}

// Trial is a deliberate defect with the observers expected to detect it.
type Trial struct {
	// ID is the name of the trial's directory in the report directory.
	ID string `json:"id"`
	// What describes the defect in a few words.
	What string `json:"what"`
	// Must are the observers expected to detect it: cases, or a rule.
	Must []string `json:"must,omitempty"`
	// All of them able to run must detect it; otherwise one is enough.
	All bool `json:"all,omitempty"`
	// Quiet are the observers among them without any detection so far. It is for the Prover, and not in the record.
	Quiet []string `json:"-"`
	// Elsewhere: it was detected on another cluster, and is repeated only while there are quiet observers in Must.
	Elsewhere bool `json:"-"`
}

// TrialOf is the trial of a defect, with the observers in must.
func TrialOf(d spec.Defect, must ...string) Trial {
	return Trial{ID: d.ID, What: d.String(), Must: must}
}

// Shard is a part of a proof's trials; the zero value is all of them.
type Shard struct{ Number, Of int }

// ParseShard reads "2/3"; nothing means all.
func ParseShard(text string) (Shard, error) {
	if text == "" {
		return Shard{}, nil
	}
	number, of, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(number)
	m, ofErr := strconv.Atoi(of)
	if err != nil || ofErr != nil || n < 1 || n > m {
		return Shard{}, fmt.Errorf("shard: %q is not like 1/2, the first of two parts", text)
	}
	return Shard{n, m}, nil
}

// String is the format of ParseShard.
func (s Shard) String() string {
	if s.Of == 0 {
		return "1/1"
	}
	return fmt.Sprintf("%d/%d", s.Number, s.Of)
}

// has reports whether the trial at an index belongs to the shard. Neighbors in the list take about as long, so each
// shard gets every n-th.
func (s Shard) has(index int) bool { return s.Of == 0 || index%s.Of == s.Number-1 }

// near lists the IDs with the longest prefix in common with one, and how many others there are.
func near(id string, all []string) string {
	const most = 10
	var found []string
	for end := len(id); end >= 0 && len(found) == 0; end-- {
		for _, a := range all {
			if strings.HasPrefix(a, id[:end]) {
				found = append(found, a)
			}
		}
	}
	found = found[:min(most, len(found))]
	text := strings.Join(found, ", ")
	if more := len(all) - len(found); more > 0 {
		text += fmt.Sprintf(" or %d others", more)
	}
	return text
}

// Select returns the shard's part of the trials with matching IDs or patterns, as "kubelet-*" (path.Match), or of all
// trials.
func Select(all []Trial, only []string, shard Shard) ([]Trial, error) {
	var errs []error
	for _, id := range only {
		if _, err := path.Match(id, ""); err != nil {
			errs = append(errs, fmt.Errorf("only: %q: %w", id, err))
		} else if !slices.ContainsFunc(all, func(t Trial) bool { return matches(id, t) }) {
			errs = append(errs, fmt.Errorf("only: there is no trial %q: use some of %s", id, near(id, IDs(all))))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var found []Trial
	index := 0
	for _, t := range all {
		if len(only) > 0 && !slices.ContainsFunc(only, func(id string) bool { return matches(id, t) }) {
			continue
		}
		if shard.has(index) {
			found = append(found, t)
		}
		index++
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("shard: %s has none of the %d trials: use fewer shards", shard, index)
	}
	return found, nil
}

func matches(pattern string, t Trial) bool {
	ok, err := path.Match(pattern, t.ID)
	return ok && err == nil
}

// IDs are those of trials, in their order.
func IDs(all []Trial) []string {
	names := make([]string, 0, len(all))
	for _, t := range all {
		names = append(names, t.ID)
	}
	return names
}

// validate checks data of programs, not of users.
func (p Proof) validate() error {
	seen := map[string]bool{}
	var errs []error
	for _, t := range p.Trials {
		if t.ID == "" || t.ID != filepath.Base(t.ID) || t.ID[0] == '.' {
			errs = append(errs, fmt.Errorf("trial %q: must be the name of a directory", t.ID))
		}
		if seen[t.ID] {
			errs = append(errs, fmt.Errorf("trial %q: is there twice", t.ID))
		}
		seen[t.ID] = true
	}
	return errors.Join(errs...)
}
