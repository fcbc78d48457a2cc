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
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/generate"
	"github.com/dra-conformance/dratest/framework/problem/reduce"
)

// Config selects problems and the handling of differences.
type Config struct {
	// Seed and First name the problems: First, First+1, … in the sequence of Seed.
	Seed, First uint64
	// N is how many problems to try.
	N int
	// Workers run at the same time; 0 means one.
	Workers int
	// Stop is the number of differences that ends the run; 0 means 1.
	Stop int
	// Own and Upstream make an allocator for each worker.
	Own, Upstream func() Allocator
	// Oracle is whether it judges own's answers, too.
	Oracle bool
	// Timeout is upstream's timeout per node; 0 means 20 s.
	Timeout time.Duration
	// Progress is called every few seconds with the number of problems done.
	Progress func(done int)
	// Every is the time between two calls of Progress; 0 means 5 s.
	Every time.Duration
}

func (c Config) patience() time.Duration { return cmp.Or(c.Timeout, answered) }

// Found is a problem with different answers.
type Found struct {
	Seed, Number uint64
	Difference   *Difference
	// Problem is the generated problem after reduce.Problem; Difference is about it.
	Problem *problem.Problem
}

// Run runs the problems. The error is ctx's.
func Run(ctx context.Context, config Config) (*Report, error) {
	report := newReport(config)
	var next, done atomic.Int64
	stop := max(1, config.Stop)
	var mutex sync.Mutex
	var workers sync.WaitGroup
	for range max(1, config.Workers) {
		workers.Go(func() {
			w := worker{own: config.Own(), upstream: config.Upstream(), patience: config.patience(), oracle: config.Oracle, report: newReport(config)}
			for {
				i := next.Add(1) - 1
				mutex.Lock()
				enough := len(report.Found) >= stop
				mutex.Unlock()
				if i >= int64(config.N) || enough || ctx.Err() != nil {
					break
				}
				if found := w.try(ctx, config.Seed, config.First+uint64(i)); found != nil {
					mutex.Lock()
					report.Found = append(report.Found, *found)
					mutex.Unlock()
				}
				done.Add(1)
			}
			mutex.Lock()
			defer mutex.Unlock()
			report.add(w.report)
		})
	}
	finished := make(chan struct{})
	go func() {
		workers.Wait()
		close(finished)
	}()
	tick(config, &done, finished)
	report.Elapsed = time.Since(report.Started)
	return report, ctx.Err()
}

func tick(config Config, done *atomic.Int64, finished <-chan struct{}) {
	every := config.Every
	if every == 0 {
		every = 5 * time.Second
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-finished:
			return
		case <-ticker.C:
			if config.Progress != nil {
				config.Progress(int(done.Load()))
			}
		}
	}
}

// worker processes one problem after the other.
type worker struct {
	own, upstream Allocator
	// patience is upstream's timeout.
	patience time.Duration
	oracle   bool
	report   *Report
}

func (w *worker) try(ctx context.Context, seed, number uint64) *Found {
	p := generate.Problem(seed, number)
	started := time.Now()
	upstream := w.upstream.Solve(ctx, p, For(w.patience))
	between := time.Now()
	own := w.own.Solve(ctx, p, ownPatience(upstream))
	w.report.UpstreamTime += between.Sub(started)
	ended := time.Now()
	w.report.OwnTime += ended.Sub(between)
	w.report.keepSlowest(Slow{Number: number, Own: ended.Sub(between), Upstream: between.Sub(started), Answer: own[0]})
	if ctx.Err() != nil {
		return nil
	}
	w.report.count(p, upstream)
	difference, meant := w.compare(ctx, p, own, upstream, &w.report.Unanswered)
	if meant != nil {
		w.report.Meant[meant.Name]++
	}
	if difference == nil && w.oracle && ctx.Err() == nil {
		difference = ask(p, own, upstream, meant, &w.report.Opinions)
	}
	if difference == nil || ctx.Err() != nil {
		return nil
	}
	found := &Found{Seed: seed, Number: number, Problem: p, Difference: difference}
	smaller := reduce.Problem(p, func(p *problem.Problem) bool {
		d := w.judge(ctx, p)
		return d != nil && d.What == difference.What
	})
	// A load-dependent difference may not reproduce; then the original problem is reported.
	if d := w.judge(ctx, smaller); d != nil && d.What == difference.What {
		found.Problem, found.Difference = smaller, d
	}
	return found
}

// judge returns the first unintended difference.
func (w *worker) judge(ctx context.Context, p *problem.Problem) *Difference {
	upstream := w.upstream.Solve(ctx, p, For(w.patience))
	own := w.own.Solve(ctx, p, ownPatience(upstream))
	d, meant := w.compare(ctx, p, own, upstream, &Unanswered{})
	if d == nil && w.oracle && ctx.Err() == nil {
		d = ask(p, own, upstream, meant, &Opinions{})
	}
	return d
}

// compare returns the first difference (for nodes without an upstream answer, the first disproved
// answer), and the intended difference that explains it. It returns at most one.
func (w *worker) compare(ctx context.Context, p *problem.Problem, own, upstream []Answer, unanswered *Unanswered) (*Difference, *Meant) {
	if d := Compare(own, upstream); d != nil {
		if meant := w.explain(ctx, p, own, upstream); meant != nil {
			return nil, meant
		}
		return d, nil
	}
	for node := range upstream {
		if upstream[node].Kind != TooSlow {
			continue
		}
		what, meant := w.check(ctx, p, node, own[node], unanswered)
		if what != "" {
			return &Difference{Node: node, What: what, Own: own[node], Upstream: upstream[node]}, nil
		}
		if meant != nil {
			return nil, meant
		}
	}
	return nil, nil
}

const (
	// answered is the timeout of this project's allocator for nodes answered by upstream; exceeding
	// it is a difference. It leaves room for a busy machine.
	answered = 20 * time.Second
	// unanswered is the timeout for nodes not compared because upstream has no answer, to count how
	// many are solved.
	unanswered = 500 * time.Millisecond
)

// ownPatience depends on upstream's answer for each node.
func ownPatience(upstream []Answer) Patience {
	return func(node int) time.Duration {
		if upstream[node].Kind == TooSlow {
			return unanswered
		}
		return answered
	}
}

// Judge compares two allocators on one problem, and the first with the oracle. It ignores intended
// differences.
func Judge(ctx context.Context, p *problem.Problem, own, upstream Allocator) *Difference {
	w := worker{own: own, upstream: upstream, patience: Config{}.patience(), oracle: true}
	return w.judge(ctx, p)
}

// Story formats a difference as a file for testdata: the answers in comments, then the problem.
func (f *Found) Story() ([]byte, error) {
	text, err := f.Problem.YAML()
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("Seed %d, number %d: %s\nOn %s own says: %s\nUpstream says: %s",
		f.Seed, f.Number, f.Difference.What, f.Problem.Nodes[f.Difference.Node].Name, f.Difference.Own, f.Difference.Upstream)
	if f.Difference.Oracle != "" {
		head += "\nThe oracle says: " + f.Difference.Oracle
	}
	return append([]byte("# "+strings.ReplaceAll(head, "\n", "\n# ")+"\n"), text...), nil
}

// Write prints the story with the command to reproduce it.
func (f *Found) Write(out io.Writer) error {
	story, err := f.Story()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s# Repeat: make difftest SEED=%d FIRST=%d N=1\n", story, f.Seed, f.Number)
	return err
}
