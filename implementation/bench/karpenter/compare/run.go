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

package compare

import (
	"context"
	"fmt"
	"time"

	"github.com/dra-conformance/dratest/difftest"
	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/generate"
)

// Config configures a comparison.
type Config struct {
	Seed, First uint64
	// N is the number of problems.
	N int
	// Own, Karpenter and Upstream solve them. Upstream decides which answer is correct.
	Own, Karpenter, Upstream difftest.Allocator
	// Patience is the timeout per node; 0 means a second.
	Patience time.Duration
	// Progress, if set, is called after each problem.
	Progress func(done int)
}

// Found is an unexplained difference.
type Found struct {
	Number         uint64
	Node           string
	What           string
	Own, Karpenter difftest.Answer
	Problem        *problem.Problem
}

// patient is the timeout of an allocator whose answer is required.
const patient = 20 * time.Second

// Run compares the answers for all nodes of all problems. The error is ctx's.
func Run(ctx context.Context, config Config) (*Tally, error) {
	if config.Patience == 0 {
		config.Patience = time.Second
	}
	tally := newTally()
	for i := range config.N {
		if ctx.Err() != nil {
			return tally, fmt.Errorf("compare problems: %w", ctx.Err())
		}
		number := config.First + uint64(i) //nolint:gosec // N is not negative
		p := generate.Problem(config.Seed, number)
		// Karpenter has neither feature gates nor history.
		p.Off, p.History = nil, nil
		config.problem(ctx, tally, number, p)
		if config.Progress != nil {
			config.Progress(i + 1)
		}
	}
	return tally, nil
}

func (c Config) problem(ctx context.Context, tally *Tally, number uint64, p *problem.Problem) {
	lacking := lacks(p)
	count := tally.of(lacking)
	count.Problems++
	theirs := c.Karpenter.Solve(ctx, p, difftest.For(c.Patience))
	own := c.Own.Solve(ctx, p, difftest.For(patient))
	for i := range p.Nodes {
		what := c.node(ctx, tally, count, p, i, own[i], theirs[i])
		if what != "" {
			tally.Found = append(tally.Found, Found{number, p.Nodes[i].Name, what, own[i], theirs[i], p})
		}
	}
}

// node counts the answers for a node, and returns a violation.
func (c Config) node(ctx context.Context, tally *Tally, count *Count, p *problem.Problem, i int, own, theirs difftest.Answer) string {
	count.Nodes++
	fits, fitsTheirs := own.Kind == difftest.Fits, theirs.Kind == difftest.Fits
	switch {
	case own.Kind == difftest.TooSlow, own.Kind == difftest.Crash:
		return "own: " + own.Kind.String()
	case theirs.Kind == difftest.Crash:
		count.Crash++
		tally.Crashes[theirs.Err.Error()]++
	case theirs.Kind == difftest.TooSlow:
		count.GivenUp++
	case fits && fitsTheirs:
		count.Both++
		if accepted, err := difftest.Accepts(ctx, c.Upstream, p, i, theirs.Allocations); err != nil || !accepted {
			count.BothWrong++
		}
	case !fits && !fitsTheirs:
		count.Neither++
	case fits:
		count.OnlyOwn++
		if accepted, err := difftest.Accepts(ctx, c.Upstream, p, i, own.Allocations); err != nil || !accepted {
			return fmt.Sprintf("only own fits, and upstream does not accept it (%v)", err)
		}
	default:
		count.OnlyKarpenter++
		name, what := c.why(ctx, p, i, own, theirs)
		if what == "" {
			tally.Explained[name]++
		}
		return what
	}
	return ""
}

// why returns the reason why karpenter places a pod where we do not, or else the violation.
func (c Config) why(ctx context.Context, p *problem.Problem, i int, own, theirs difftest.Answer) (name, what string) {
	accepted, err := difftest.Accepts(ctx, c.Upstream, p, i, theirs.Allocations)
	accepted = accepted && err == nil
	upstream := c.Upstream.Solve(ctx, p, difftest.For(patient))[i]
	all := p.Copy()
	for _, reason := range Reasons() {
		if reason.Without != nil {
			reason.Without(all)
		}
		if accepted && !reason.Accepted {
			continue
		}
		if reason.Is != nil && reason.Is(own, upstream, theirs) || reason.Without != nil && c.fits(ctx, p, i, reason.Without) {
			return reason.Name, ""
		}
	}
	switch {
	case accepted:
		return "", "only karpenter fits, and upstream accepts it"
	case c.Own.Solve(ctx, all, difftest.For(patient))[i].Kind == difftest.Fits:
		return several, ""
	}
	return "", "only karpenter fits; upstream does not accept it, and no known reason is why"
}

// fits reports whether we place the pod on a node after a change.
func (c Config) fits(ctx context.Context, p *problem.Problem, node int, change func(*problem.Problem)) bool {
	other := p.Copy()
	change(other)
	return c.Own.Solve(ctx, other, difftest.For(patient))[node].Kind == difftest.Fits
}
