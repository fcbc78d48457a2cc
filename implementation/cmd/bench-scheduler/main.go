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

// Command bench-scheduler compares this project's scheduler plugin with upstream's on upstream's
// scheduler_perf workloads. ".ci/bench-scheduler" builds the binaries and runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"k8s.io/component-base/featuregate"

	"github.com/dra-conformance/dratest/implementation/bench/schedulerperf"
	"github.com/dra-conformance/dratest/implementation/cmd/dra-scheduler/plugin"
)

// errFailed means a workload has no numbers; the cause has been printed.
var errFailed = errors.New("some runs failed")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-scheduler:", err)
		if errors.Is(err, errFailed) {
			os.Exit(1)
		}
		os.Exit(3)
	}
}

func run(ctx context.Context) error {
	c := schedulerperf.Config{Progress: os.Stdout}
	flag.StringVar(&c.Harness, "harness", "bin/bench-scheduler.test", "the test binary of implementation/bench/schedulerperf/harness")
	flag.StringVar(&c.BinDir, "bin", "bin", "the directory of etcd")
	flag.StringVar(&c.Artifacts, "artifacts", "_artifacts/bench-scheduler", "where results, profiles and the logs of failed runs go")
	flag.IntVar(&c.Repeat, "repeat", 3, "how many times to run each workload with each plugin")
	flag.BoolVar(&c.Control, "control", false, "compare upstream's plugin with itself, to see the noise")
	kubernetes := flag.String("kubernetes", "", "the directory of the module k8s.io/kubernetes")
	workloads := flag.String("workloads", "", "a regular expression for the names of workloads, such as 'half_.*nodes', or . for all, of which one repetition takes more than two hours; the default are those that the project's goals are stated for")
	flag.Parse()

	for _, path := range []*string{&c.Harness, &c.BinDir, &c.Artifacts} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return fmt.Errorf("find the working directory: %w", err)
		}
		*path = absolute
	}
	chosen, err := schedulerperf.Workloads(*kubernetes, *workloads)
	if err != nil {
		return err
	}
	var left []schedulerperf.LeftOut
	if !c.Control {
		if chosen, left, err = schedulerperf.Divide(chosen, unsupported); err != nil {
			return err
		}
	}
	runs, err := schedulerperf.Run(ctx, c, chosen)
	if len(runs) == 0 {
		return err
	}
	_, version, _ := strings.Cut(filepath.Base(*kubernetes), "@")
	report := schedulerperf.NewReport(version, c.Repeat, runs, left)
	report.Print(os.Stdout)
	err = errors.Join(err, report.Write(c.Artifacts))
	fmt.Printf("\nresults.json, report.txt with the top of each profile, and a directory per run are in %s\n", c.Artifacts)
	fmt.Println(report.LastLine())
	if report.Failed() {
		err = errors.Join(err, errFailed)
	}
	return err
}

// unsupported returns the reason why dra-scheduler rejects the workload's feature gates.
func unsupported(w schedulerperf.Workload) error {
	_, err := plugin.Features(func(gate featuregate.Feature) bool { return w.Gates[string(gate)] })
	return err
}
