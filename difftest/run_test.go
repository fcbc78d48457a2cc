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
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/problem"
)

func upstream() Allocator { return NewUpstream() }

// blind is upstream's allocator ignoring some part of a problem.
type blind struct {
	Allocator
	hide func(*problem.Problem)
}

func (b blind) Solve(ctx context.Context, p *problem.Problem, patience Patience) []Answer {
	c := p.Copy()
	b.hide(c)
	return b.Allocator.Solve(ctx, c, patience)
}

func TestOwnAgreesWithUpstream(t *testing.T) {
	report, err := Run(t.Context(), Config{Seed: 20, N: 2000, Workers: 2, Own: func() Allocator { return NewOwn() }, Upstream: upstream, Oracle: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range report.Found {
		var story strings.Builder
		if err := report.Found[i].Write(&story); err != nil {
			t.Fatal(err)
		}
		t.Error(story.String())
	}
}

func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p, err := problem.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			if d := Judge(t.Context(), p, NewOwn(), upstream()); d != nil {
				t.Errorf("%s\nown: %s\nupstream: %s\noracle: %s", d.What, d.Own, d.Upstream, d.Oracle)
			}
		})
	}
}

func TestUpstreamAgreesWithItself(t *testing.T) {
	report, err := Run(t.Context(), Config{Seed: 1, N: 1000, Workers: 2, Own: upstream, Upstream: upstream})
	if err != nil || report.Problems != 1000 || len(report.Found) != 0 {
		t.Fatalf("%d problems, %d differences, error %v", report.Problems, len(report.Found), err)
	}
	for _, feature := range report.Features {
		if feature.Problems == 0 {
			t.Errorf("no problem makes use of %q", feature.Name)
		}
	}
	if report.Answers[Fits] < 300 || report.Answers[DoesNotFit] < 300 || report.Answers[PodError] < 30 {
		t.Errorf("answers are lopsided: %v", report.Answers)
	}
	var text bytes.Buffer
	if err := report.Write(&text); err != nil || !strings.Contains(text.String(), "differences: 0") {
		t.Errorf("report %q, error %v", text.String(), err)
	}
}

func TestRunFindsDifferences(t *testing.T) {
	claims := func(p *problem.Problem, hide func(*resourceapi.DeviceClaim)) {
		for i := range p.Claims {
			hide(&p.Claims[i].Spec.Devices)
		}
	}
	devices := func(p *problem.Problem, hide func(*resourceapi.Device)) {
		for i := range p.Slices {
			for d := range p.Slices[i].Spec.Devices {
				hide(&p.Slices[i].Spec.Devices[d])
			}
		}
	}
	for name, hide := range map[string]func(*problem.Problem){
		"constraints": func(p *problem.Problem) {
			claims(p, func(d *resourceapi.DeviceClaim) { d.Constraints = nil })
		},
		"configuration": func(p *problem.Problem) {
			claims(p, func(d *resourceapi.DeviceClaim) { d.Config = nil })
		},
		"taints": func(p *problem.Problem) {
			devices(p, func(d *resourceapi.Device) { d.Taints = nil })
		},
		"counters": func(p *problem.Problem) {
			devices(p, func(d *resourceapi.Device) { d.ConsumesCounters = nil })
		},
		"bindsToNode": func(p *problem.Problem) {
			devices(p, func(d *resourceapi.Device) { d.BindsToNode = nil })
		},
		"allocated": func(p *problem.Problem) { p.Allocated = nil },
	} {
		t.Run(name, func(t *testing.T) {
			report, err := Run(t.Context(), Config{Seed: 1, N: 2000, Workers: 2, Upstream: upstream,
				Own: func() Allocator { return blind{upstream(), hide} }})
			if err != nil || len(report.Found) == 0 {
				t.Fatalf("no difference in %d problems, error %v", report.Problems, err)
			}
			found := report.Found[0]
			if n := count(found.Problem); n > 5 {
				t.Errorf("not reduced: %d devices and requests", n)
			}
			story, err := found.Story()
			if err != nil {
				t.Fatal(err)
			}
			p, err := problem.Parse(story)
			if err != nil {
				t.Fatal(err)
			}
			if d := Judge(t.Context(), p, blind{upstream(), hide}, upstream()); d == nil || d.What != found.Difference.What {
				t.Errorf("the story does not show the difference again, but %v:\n%s", d, story)
			}
		})
	}
}

func count(p *problem.Problem) int {
	n := 0
	for i := range p.Slices {
		n += len(p.Slices[i].Spec.Devices)
	}
	for i := range p.Claims {
		n += len(p.Claims[i].Spec.Devices.Requests)
	}
	return n
}

// script gives scripted answers and records its timeouts.
type script struct {
	kinds []Kind
	asked *[]time.Duration
}

func (s script) Solve(_ context.Context, p *problem.Problem, patience Patience) []Answer {
	answers := make([]Answer, len(p.Nodes))
	for i := range answers {
		answers[i].Kind = s.kinds[i]
		*s.asked = append(*s.asked, patience(i))
	}
	return answers
}

func TestSlowNodeDoesNotTakeTimeFromOthers(t *testing.T) {
	var own, theirs []time.Duration
	p := &problem.Problem{Nodes: []problem.Node{{Name: "slow"}, {Name: "quick"}}}
	d := Judge(t.Context(), p, script{[]Kind{TooSlow, DoesNotFit}, &own}, script{[]Kind{TooSlow, DoesNotFit}, &theirs})
	if d != nil {
		t.Errorf("got difference %q, want none", d.What)
	}
	if !slices.Equal(own, []time.Duration{unanswered, answered}) {
		t.Errorf("own had %v for the nodes", own)
	}
}

func TestDifferenceThatDoesNotShowAgain(t *testing.T) {
	calls := 0
	flaky := func() Allocator { return once{upstream(), &calls} }
	report, err := Run(t.Context(), Config{Seed: 1, N: 1, Own: flaky, Upstream: upstream})
	if err != nil || len(report.Found) != 1 {
		t.Fatalf("found %d, error %v", len(report.Found), err)
	}
	if err := report.Found[0].Write(io.Discard); err != nil {
		t.Error(err)
	}
}

// once gives a wrong answer the first time.
type once struct {
	Allocator
	calls *int
}

func (o once) Solve(ctx context.Context, p *problem.Problem, patience Patience) []Answer {
	if *o.calls++; *o.calls == 1 {
		return failEverywhere(p, Crash, context.Canceled)
	}
	return o.Allocator.Solve(ctx, p, patience)
}

// The answer without old slices is the intended one, if there are any.
func TestOldSlicesAreLeftOut(t *testing.T) {
	p := &problem.Problem{Slices: make([]resourceapi.ResourceSlice, 3)}
	for i, s := range []struct {
		pool       string
		generation int64
	}{{"moved", 1}, {"moved", 2}, {"stays", 1}} {
		p.Slices[i].Spec.Pool.Name, p.Slices[i].Spec.Pool.Generation = s.pool, s.generation
	}
	newest := edited((*problem.Problem).NewestSlices)
	without := newest(p)
	if len(without.Slices) != 2 || without.Slices[0].Spec.Pool.Generation != 2 || len(p.Slices) != 3 {
		t.Errorf("got %v", without.Slices)
	}
	if newest(without) != nil {
		t.Error("slices of the highest generation are taken for old ones")
	}
}

// An intended difference must not cover wrong answers to problems of its kind.
func TestMeantDifferenceExplainsOneAnswerOnly(t *testing.T) {
	p := &problem.Problem{Nodes: []problem.Node{{Name: "node"}}}
	for _, n := range []int64{1, 2} {
		slice := resourceapi.ResourceSlice{}
		slice.Spec.Pool.ResourceSliceCount = n
		p.Slices = append(p.Slices, slice)
	}
	for name, test := range map[string]struct {
		own  Kind
		want bool
	}{
		"waits for the pool": {DoesNotFit, true},
		"wrong answer":       {PodError, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := worker{upstream: script{[]Kind{DoesNotFit}, new([]time.Duration)}, patience: time.Second}
			meant := w.explain(t.Context(), p, []Answer{{Kind: test.own}}, []Answer{{Kind: Fits}})
			if (meant != nil) != test.want {
				t.Errorf("explained: %t, want %t", meant != nil, test.want)
			}
		})
	}
	p.Slices[0].Spec.Pool.ResourceSliceCount = 2
	if waitForCounts(p) != nil {
		t.Error("slices that agree are taken for ones that do not")
	}
}
