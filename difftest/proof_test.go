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
	"context"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/generate"
)

// Where upstream has an answer, proofs must agree.
func TestProofsAgreeWithUpstream(t *testing.T) {
	judge := NewUpstream()
	var fits, refused, open int
	for number := range uint64(1000) {
		p := generate.Problem(16, number)
		for node, answer := range judge.Solve(t.Context(), p, For(answered)) {
			want := proven
			switch answer.Kind {
			case Fits:
				fits++
				if what := invalid(t.Context(), judge, p, node, answer); what != "" {
					t.Errorf("problem %d, node %d: allocation of upstream is not valid: %s", number, node, what)
				}
				want = refuted
			case DoesNotFit, NodeError:
				refused++
			default:
				continue
			}
			switch got := proveRefusal(t.Context(), judge, p, node); got {
			case want:
			case undecided:
				open++
			default:
				t.Errorf("problem %d, node %d: proof %d, want %d; upstream: %s", number, node, got, want, answer)
			}
		}
	}
	// The progress of a proof depends on the machine's load.
	if fits < 200 || refused < 200 || open > 5 {
		t.Errorf("%d fits and %d refusals are too few, or %d undecided too many", fits, refused, open)
	}
}

// slow has no answer within upstream's timeout, and upstream's answer with more time.
type slow struct{ Allocator }

func (s slow) Solve(ctx context.Context, p *problem.Problem, patience Patience) []Answer {
	if patience(0) < answered {
		return failEverywhere(p, TooSlow, context.DeadlineExceeded)
	}
	return s.Allocator.Solve(ctx, p, patience)
}

type liar struct {
	Allocator
	change func(*Answer)
}

func (l liar) Solve(ctx context.Context, p *problem.Problem, _ Patience) []Answer {
	answers := l.Allocator.Solve(ctx, p, For(answered))
	for i := range answers {
		l.change(&answers[i])
	}
	return answers
}

// Nodes with an upstream timeout were ignored: any own answer passed.
func TestWrongAnswersAreFoundWhereUpstreamHasNone(t *testing.T) {
	results := func(a *Answer) *Answer {
		if a.Kind == Fits {
			return a
		}
		return &Answer{}
	}
	for name, test := range map[string]struct {
		change func(*Answer)
		want   string
	}{
		"nothing wrong": {func(*Answer) {}, ""},
		"refusal": {func(a *Answer) {
			if a.Kind == Fits {
				*a = Answer{Kind: DoesNotFit}
			}
		}, "there is an allocation that upstream accepts"},
		"device that does not exist": {func(a *Answer) {
			for i := range results(a).Allocations {
				for d := range a.Allocations[i].Devices.Results {
					a.Allocations[i].Devices.Results[d].Device = "none"
				}
			}
		}, "differs: own: fits, upstream: does not fit"},
		"device twice": {func(a *Answer) {
			for i := range results(a).Allocations {
				results := a.Allocations[i].Devices.Results
				for d := range results {
					request := results[d].Request
					results[d] = results[0]
					results[d].Request = request
				}
			}
		}, "differs: own: fits, upstream: does not fit"},
		"too few devices": {func(a *Answer) {
			for i := range results(a).Allocations {
				devices := &a.Allocations[i].Devices
				devices.Results = devices.Results[:len(devices.Results)/2]
			}
		}, "a request has no device"},
		"admin access": {func(a *Answer) {
			for i := range results(a).Allocations {
				for d := range a.Allocations[i].Devices.Results {
					a.Allocations[i].Devices.Results[d].AdminAccess = ptr.To(true)
				}
			}
		}, "details of a device"},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := Run(t.Context(), Config{Seed: 3, N: 200, Workers: 2, Timeout: time.Millisecond, Stop: 1000,
				Own:      func() Allocator { return liar{upstream(), test.change} },
				Upstream: func() Allocator { return slow{upstream()} },
			})
			if err != nil {
				t.Fatal(err)
			}
			if checked := report.Unanswered; test.want == "" && (len(report.Found) > 0 || checked.Valid < 50 || checked.Proven < 50) {
				t.Errorf("%d differences, checked %+v", len(report.Found), checked)
			}
			seen := false
			for _, found := range report.Found {
				seen = seen || strings.Contains(found.Difference.What, test.want)
			}
			if test.want != "" && !seen {
				t.Errorf("%d differences, none of them %q", len(report.Found), test.want)
			}
		})
	}
}

// Upstream answers seed 1, number 5334 at once, and needs more than its timeout for the converted
// problem on a busy machine: the intended difference was reported as a difference.
func TestMeantDifferenceWithoutAnswerIsProven(t *testing.T) {
	p := generate.Problem(1, 5334)
	own := NewOwn().Solve(t.Context(), p, For(answered))
	if own[0].Kind != Fits {
		t.Fatalf("own: %s", own[0])
	}
	w := worker{upstream: slow{upstream()}, patience: time.Millisecond}
	meant := w.explain(t.Context(), p, own, []Answer{{Kind: DoesNotFit}})
	if meant == nil || meant.Name != "both names of a capacity" {
		t.Errorf("explained by %v", meant)
	}
	devices := own[0].Allocations[0].Devices.Results
	devices[0] = devices[1]
	if meant := w.explain(t.Context(), p, own, []Answer{{Kind: DoesNotFit}}); meant != nil {
		t.Errorf("a device given twice is explained by %q", meant.Name)
	}
}

// An intended difference could explain any number of problems.
func TestMeantDifferencesAreCapped(t *testing.T) {
	name := "slices that disagree about their number"
	for n, want := range map[int]int{23: 0, 24: 1} {
		report := &Report{Problems: 20000, Meant: map[string]int{name: n}}
		if often := report.TooOften(); len(often) != want {
			t.Errorf("%d of %d: %v, want %d", n, report.Problems, often, want)
		}
	}
}
