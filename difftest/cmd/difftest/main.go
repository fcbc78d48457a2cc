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

// Command difftest compares this project's allocator with upstream's on random problems, or on
// problems from files. It exits with 1 if they differ.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/difftest"
	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/generate"
)

var errDiffer = errors.New("the allocators differ")

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the problems")
	flag.Uint64Var(&o.first, "first", 0, "number of the first problem")
	flag.IntVar(&o.n, "n", 20000, "how many problems")
	flag.IntVar(&o.stop, "stop", 3, "stop after so many differences")
	flag.DurationVar(&o.timeout, "timeout", 200*time.Millisecond, "time that upstream may take for a node")
	flag.StringVar(&o.dir, "dir", "", "directory to write reduced problems to")
	flag.BoolVar(&o.print, "print", false, "print the first problem, and what upstream says, and stop")
	flag.BoolVar(&o.peer, "peer-only", false, "ask upstream only, to see what is generated")
	flag.Parse()
	// Each problem leaves megabytes of garbage: collect rarely while there is room.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(2 << 30)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := o.run(ctx, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type options struct {
	seed, first uint64
	n, stop     int
	timeout     time.Duration
	dir         string
	print, peer bool
}

func (o options) upstream() difftest.Allocator { return difftest.NewUpstream() }

func (o options) own() difftest.Allocator {
	if o.peer {
		return o.upstream()
	}
	return difftest.NewOwn()
}

func (o options) run(ctx context.Context, files []string) error {
	switch {
	case o.print:
		return o.show(ctx, generate.Problem(o.seed, o.first))
	case len(files) > 0:
		return o.files(ctx, files)
	}
	report, err := difftest.Run(ctx, difftest.Config{
		Seed: o.seed, First: o.first, N: o.n, Stop: o.stop, Workers: runtime.GOMAXPROCS(0), Timeout: o.timeout,
		Own: o.own, Upstream: o.upstream, Oracle: !o.peer,
		Progress: func(done int) { fmt.Fprintf(os.Stderr, "%d of %d problems\n", done, o.n) },
	})
	for i := range report.Found {
		if err := o.save(&report.Found[i]); err != nil {
			return err
		}
	}
	if err := report.Write(os.Stdout); err != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("interrupted after %d of %d problems: %w", report.Problems, o.n, err)
	}
	if often := report.TooOften(); len(often) > 0 {
		return fmt.Errorf("meant differences explain more problems than they may: %s; look at some of them, then correct Meant.Instead or AtMost", strings.Join(often, ", "))
	}
	if len(report.Found) > 0 {
		return errDiffer
	}
	return nil
}

func (o options) save(found *difftest.Found) error {
	if err := found.Write(os.Stdout); err != nil || o.dir == "" {
		return err
	}
	story, err := found.Story()
	if err != nil {
		return err
	}
	name := filepath.Join(o.dir, fmt.Sprintf("seed-%d-%d.yaml", found.Seed, found.Number))
	if err := os.WriteFile(name, story, 0o600); err != nil {
		return fmt.Errorf("save problem: %w", err)
	}
	fmt.Println("# Saved as", name)
	return nil
}

func (o options) files(ctx context.Context, files []string) error {
	var differ error
	for _, name := range files {
		data, err := os.ReadFile(name) //nolint:gosec // the user's own choice
		if err != nil {
			return fmt.Errorf("read problem: %w", err)
		}
		p, err := problem.Parse(data)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		d := difftest.Judge(ctx, p, o.own(), o.upstream())
		if d == nil {
			fmt.Printf("%s: no difference\n", name)
			continue
		}
		differ = errDiffer
		fmt.Printf("%s: %s\n  own: %s\n  upstream: %s\n", name, d.What, d.Own, d.Upstream)
	}
	return differ
}

func (o options) show(ctx context.Context, p *problem.Problem) error {
	text, err := p.YAML()
	if err != nil {
		return err
	}
	fmt.Printf("%s", text)
	for i, answer := range o.upstream().Solve(ctx, p, difftest.For(time.Minute)) {
		fmt.Printf("# %s: %s\n", p.Nodes[i].Name, answer)
	}
	return nil
}
