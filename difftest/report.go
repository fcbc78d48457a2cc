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

package difftest

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dra-conformance/dratest/framework/problem"
)

// Report summarizes a run.
type Report struct {
	Started  time.Time
	Elapsed  time.Duration
	Problems int
	// Answers counts upstream's answers by Kind, one per node.
	Answers [numKinds]int
	// Unanswered are the nodes with an upstream timeout.
	Unanswered Unanswered
	// Opinions are the oracle's about own's answers.
	Opinions Opinions
	// Features in the order of problem.AllFeatures.
	Features []FeatureCount
	// Errors counts upstream's errors by their text without names.
	Errors map[string]int
	// Meant counts intended differences by name.
	Meant map[string]int
	// Found are unintended differences.
	Found []Found
	// OwnTime and UpstreamTime are the allocators' total times over all workers.
	OwnTime, UpstreamTime time.Duration

	// Slow lists the slowest problems of this project's allocator.
	Slow []Slow

	features []problem.Feature
	seed     uint64
}

// Slow is a slow problem.
type Slow struct {
	Number        uint64
	Own, Upstream time.Duration
	Answer        Answer
}

// keepSlowest keeps the slowest few.
func (r *Report) keepSlowest(all ...Slow) {
	r.Slow = append(r.Slow, all...)
	slices.SortFunc(r.Slow, func(a, b Slow) int { return cmp.Or(cmp.Compare(b.Own, a.Own), cmp.Compare(a.Number, b.Number)) })
	r.Slow = r.Slow[:min(len(r.Slow), 5)]
}

// FeatureCount counts the uses of a feature.
type FeatureCount struct {
	Name     string
	Problems int
	Answers  [numKinds]int
}

func newReport(config Config) *Report {
	r := &Report{Started: time.Now(), Errors: map[string]int{}, Meant: map[string]int{}, features: problem.AllFeatures(), seed: config.Seed}
	for _, feature := range r.features {
		r.Features = append(r.Features, FeatureCount{Name: feature.Name})
	}
	return r
}

func (r *Report) count(p *problem.Problem, answers []Answer) {
	r.Problems++
	var kinds [numKinds]int
	for _, answer := range answers {
		kinds[answer.Kind]++
		if answer.Err != nil {
			r.Errors[class(answer.Err)]++
		}
	}
	sum(&r.Answers, &kinds)
	for i, feature := range r.features {
		if feature.Used(p) {
			r.Features[i].Problems++
			sum(&r.Features[i].Answers, &kinds)
		}
	}
}

func (r *Report) add(other *Report) {
	r.Problems += other.Problems
	sum(&r.Answers, &other.Answers)
	for i := range r.Features {
		r.Features[i].Problems += other.Features[i].Problems
		sum(&r.Features[i].Answers, &other.Features[i].Answers)
	}
	for text, n := range other.Errors {
		r.Errors[text] += n
	}
	for name, n := range other.Meant {
		r.Meant[name] += n
	}
	r.keepSlowest(other.Slow...)
	r.Unanswered.add(other.Unanswered)
	r.Opinions.add(other.Opinions)
	r.OwnTime += other.OwnTime
	r.UpstreamTime += other.UpstreamTime
}

func sum(to, from *[numKinds]int) {
	for i := range to {
		to[i] += from[i]
	}
}

var (
	names  = regexp.MustCompile(`\b(claim|request|device|class|pool|slice|subrequest|set|name|counter|node|attribute|capacity|adding) ("[^"]*"|[^ :,]+)`)
	detail = regexp.MustCompile(`(compilation failed|failed to perform node selection for device|exceeds the claim limit).*`)
)

// class reduces an error to the part shared by errors of its kind.
func class(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	text = detail.ReplaceAllString(names.ReplaceAllString(text, "$1 …"), "$1 …")
	if len(text) > 110 {
		text = text[:110] + "…"
	}
	return text
}

// Write prints the tables and the last lines.
func (r *Report) Write(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, problems int, k *[numKinds]int) {
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%d\t  %s\t\n", problems, k[Fits], k[DoesNotFit], k[PodError]+k[NodeError]+k[Crash], k[TooSlow], name)
	}
	fmt.Fprintln(table, "problems\tfit\tdo not fit\terror\ttoo slow\t  feature\t")
	for i := range r.Features {
		row(r.Features[i].Name, r.Features[i].Problems, &r.Features[i].Answers)
	}
	row("all", r.Problems, &r.Answers)
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	fmt.Fprintln(out, "\nThe last columns count nodes: a problem has one to three of them. Errors of upstream:")
	texts := slices.SortedFunc(maps.Keys(r.Errors), func(a, b string) int { return cmp.Or(r.Errors[b]-r.Errors[a], cmp.Compare(a, b)) })
	for _, text := range texts[:min(len(texts), 40)] {
		fmt.Fprintf(out, "%8d  %s\n", r.Errors[text], text)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Meant)) {
		fmt.Fprintf(out, "%8d  meant differences (at most %d): %s\n", r.Meant[name], r.limit(name), name)
	}
	fmt.Fprintln(out, "Slowest of own, by number:")
	for _, s := range r.Slow {
		fmt.Fprintf(out, "%8d  %s (%s); upstream %s\n", s.Number, s.Own.Round(10*time.Microsecond), s.Answer.Kind, s.Upstream.Round(10*time.Microsecond))
	}
	compared := r.Answers[Fits] + r.Answers[DoesNotFit] + r.Answers[PodError] + r.Answers[NodeError]
	each := time.Duration(max(1, r.Problems))
	u, slow := r.Unanswered, r.Answers[TooSlow]
	_, err := fmt.Fprintf(out, "\nseed %d: %d problems in %s (%.0f/s; %s own, %s upstream each), %d nodes compared, %d too slow for upstream (%.2f %%)\n"+
		"oracle: %d answers of own judged, %d with an undecided question; upstream's refuted on %d nodes with an intended difference\n"+
		"checked without upstream's search: %d allocations valid, %d refusals proven, %d refusals undecided; not checked: %d errors, %d too slow for own\n"+
		"differences: %d\n",
		r.seed, r.Problems, r.Elapsed.Round(time.Second/10), float64(r.Problems)/r.Elapsed.Seconds(),
		(r.OwnTime / each).Round(time.Microsecond), (r.UpstreamTime / each).Round(time.Microsecond),
		compared, slow, 100*float64(slow)/float64(max(1, compared+slow)),
		r.Opinions.Judged, r.Opinions.Undecided, r.Opinions.Refuted,
		u.Valid, u.Proven, u.Undecided, u.Errors, u.TooSlow, len(r.Found))
	return err
}

// limit is the maximum number of problems explained by an intended difference; three are acceptable in
// any run.
func (r *Report) limit(name string) int {
	for _, meant := range MeantDifferences() {
		if meant.Name == name {
			return 3 + int(meant.AtMost*float64(r.Problems)/1000)
		}
	}
	return 0
}

// TooOften returns the intended differences above their limit, sorted.
func (r *Report) TooOften() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.Meant)) {
		if r.Meant[name] > r.limit(name) {
			names = append(names, name)
		}
	}
	return names
}
