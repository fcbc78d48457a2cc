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

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/dra-conformance/dratest/difftest"
	"github.com/dra-conformance/dratest/implementation/bench/karpenter/compare"
	"github.com/dra-conformance/dratest/implementation/bench/karpenter/peer"
)

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 3, "how often each side is measured, in turns")
	flag.DurationVar(&o.limit, "limit", time.Minute, "time that karpenter may take for a problem")
	flag.StringVar(&o.only, "only", "", "regular expression of the problems to measure")
	flag.IntVar(&o.differences, "differences", 0, "look for differences on so many random problems instead")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the random problems")
	flag.Uint64Var(&o.first, "first", 0, "number of the first random problem")
	flag.IntVar(&o.stop, "stop", 3, "print so many differences that nothing explains")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := o.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type options struct {
	rounds            int
	limit             time.Duration
	only              string
	differences, stop int
	seed, first       uint64
}

func (o options) run(ctx context.Context) error {
	if o.rounds < 1 || o.limit <= 0 || o.differences < 0 {
		return errors.New("-rounds and -limit have to be positive, -differences not negative")
	}
	if o.differences > 0 {
		return o.compare(ctx)
	}
	return o.measure(ctx, os.Stdout)
}

var errDiffer = errors.New("karpenter places pods that we do not, and nothing explains it")

func (o options) compare(ctx context.Context) error {
	started := time.Now()
	config := compare.Config{
		Seed: o.seed, First: o.first, N: o.differences,
		Own: difftest.NewOwn(), Karpenter: peer.Allocator{}, Upstream: difftest.NewUpstream(),
		Progress: func(done int) {
			if done%1000 == 0 {
				fmt.Fprintf(os.Stderr, "%d of %d problems, %s\n", done, o.differences, time.Since(started).Round(time.Second))
			}
		},
	}
	tally, err := compare.Run(ctx, config)
	if err != nil {
		return err //nolint:wrapcheck // it says what
	}
	fmt.Printf("Random problems %d to %d of seed %d, one pod each, asked for each node.\n\n", o.first, o.first+uint64(o.differences)-1, o.seed) //nolint:gosec // not negative
	if err := tally.Write(os.Stdout); err != nil {
		return err //nolint:wrapcheck // it says what
	}
	for i := range min(o.stop, len(tally.Found)) {
		if err := tally.Found[i].Write(os.Stdout); err != nil {
			return err //nolint:wrapcheck // it says what
		}
	}
	growth, err := compare.RunGrowth(ctx, config)
	if err != nil {
		return err //nolint:wrapcheck // it says what
	}
	if err := growth.Write(os.Stdout); err != nil {
		return err //nolint:wrapcheck // it says what
	}
	for i := range min(o.stop, len(growth.Found)) {
		if err := growth.Found[i].Write(os.Stdout); err != nil {
			return err //nolint:wrapcheck // it says what
		}
	}
	if len(tally.Found)+len(growth.Found) > 0 {
		return errDiffer
	}
	return nil
}
