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
	"fmt"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/reports/schema"
)

// Merge reads the records of a proof's parts and returns the complete one. Parts are shards, of which all must be
// present, and runs on different clusters or for different trial names: a trial detected in any of them is detected.
func Merge(dirs []string) (Record, error) {
	var records []Record
	for _, dir := range dirs {
		r, err := load(dir)
		if err != nil {
			return Record{}, err
		}
		records = append(records, r)
	}
	return merge(records)
}

// Rest returns the part of a proof left by parts done elsewhere: trials not detected there, and trials of observers
// without any detection there.
func Rest(p Proof, suite schema.Suite, dirs []string) (Proof, error) {
	done, err := Merge(dirs)
	if err != nil {
		return p, err
	}
	if what := done.differs(Record{Proof: p.Name, Suite: suite}); what != "" {
		return p, fmt.Errorf("%w: %s", ErrAnother, what)
	}
	p.Rest, p.Trials = true, slices.Clone(p.Trials)
	for i, t := range p.Trials {
		p.Trials[i].Elsewhere = slices.ContainsFunc(done.Results, func(x Result) bool { return x.ID == t.ID && x.Detected && x.Problem == "" })
	}
	done.Observers = p.Observers
	p.Observers = done.Without()
	return p, nil
}

// merge combines parts of one proof. Where and Only are empty in the result unless equal in all.
func merge(records []Record) (Record, error) {
	if len(records) == 0 {
		return Record{}, fmt.Errorf("%w: there are no records", ErrAnother)
	}
	whole := records[0]
	whole.Trials, whole.Results, whole.Observers, whole.Rest = nil, nil, nil, false
	var parts [][]Record
	for _, r := range records {
		if what := r.differs(whole); what != "" {
			return Record{}, fmt.Errorf("%w: of shard %s, %s", ErrAnother, r.Shard, what)
		}
		i := slices.IndexFunc(parts, func(part []Record) bool { return part[0].part() == r.part() })
		if i < 0 {
			i, parts = len(parts), append(parts, nil)
		}
		parts[i] = append(parts[i], r)
		whole = whole.and(r)
	}
	for _, part := range parts {
		if err := complete(part); err != nil {
			return Record{}, err
		}
	}
	if len(parts) > 1 {
		whole.Where, whole.Only = "", nil
	}
	whole.Shard = Shard{}.String()
	whole.Verdict = whole.verdict()
	return whole, nil
}

// part is the common key of all shards of one part.
func (r Record) part() string { return fmt.Sprintf("%s %q %t", r.Where, r.Only, r.Rest) }

// complete fails if shards of a part are missing.
func complete(part []Record) error {
	_, of, _ := strings.Cut(part[0].Shard, "/")
	var have []string
	for _, r := range part {
		if slices.Contains(have, r.Shard) || !strings.HasSuffix(r.Shard, "/"+of) {
			return fmt.Errorf("%w: shard %s does not go with %s: give each shard once", ErrAnother, r.Shard, strings.Join(have, ", "))
		}
		have = append(have, r.Shard)
	}
	if fmt.Sprint(len(have)) != of {
		return fmt.Errorf("%w: of %s there are only the shards %s: give all %s", ErrAnother, part[0].Where, strings.Join(have, ", "), of)
	}
	return nil
}

// and combines a record with another one.
func (r Record) and(other Record) Record {
	for _, t := range other.Trials {
		if !slices.Contains(IDs(r.Trials), t.ID) {
			r.Trials = append(r.Trials, t)
		}
	}
	for _, x := range other.Results {
		if i := slices.IndexFunc(r.Results, func(y Result) bool { return y.ID == x.ID }); i >= 0 {
			x = r.Results[i].and(x)
		}
		if slices.ContainsFunc(r.Trials, func(t Trial) bool { return t.ID == x.ID && t.All }) {
			x.Detected = x.Detected && len(x.Missed) == 0
		}
		r = r.with(x)
	}
	for _, w := range other.Observers {
		if !slices.Contains(r.Observers, w) {
			r.Observers = append(r.Observers, w)
		}
	}
	r.All = max(r.All, other.All)
	if other.Started.Before(r.Started) {
		r.Started = other.Started
	}
	return r
}

// and combines two results of a trial. One with a problem, or not applicable, is ignored.
func (r Result) and(other Result) Result {
	if r.Problem != "" || other.Problem == "" && r.NotApplicable {
		r, other = other, r
	}
	if other.Problem != "" || other.NotApplicable {
		return r
	}
	if !r.Detected {
		r, other = other, r
	}
	r.Seconds += other.Seconds
	for _, id := range other.By {
		if !slices.Contains(r.By, id) {
			r.By = append(slices.Clone(r.By), id)
		}
	}
	r.Missed = slices.DeleteFunc(slices.Concat(r.Missed, other.Missed), func(id string) bool { return slices.Contains(r.By, id) })
	return r
}
