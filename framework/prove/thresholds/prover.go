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

package thresholds

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Name is the proof's.
const Name = "thresholds"

type kind struct {
	name, what string
	// slower: the candidate costs a fifth more. beside: other programs load the machine.
	slower, busy bool
}

var kinds = []kind{ //nolint:gochecknoglobals // a table
	{name: "same", what: "Two of the same: the threshold must be met."},
	{name: "slower", what: "The candidate's scheduler costs a fifth more CPU time by pod: the threshold must be missed.", slower: true},
	{name: "beside", what: "Two of the same beside programs that take all of the machine: no threshold must be missed.", busy: true},
}

// Proof has runs of each kind, in turns, and half as many with other load.
func Proof(runs int) prove.Proof {
	p := prove.Proof{Name: Name, Keyword: "right"}
	for i := range runs {
		for _, k := range kinds {
			if k.busy && i%2 == 1 {
				continue
			}
			p.Trials = append(p.Trials, prove.Trial{ID: fmt.Sprintf("%s-%02d", k.name, i+1), What: k.what})
		}
	}
	return p
}

// Prover measures this project's scheduler against itself.
type Prover struct {
	Clusters perf.Clusters
	// Slower builds the scheduler costing a fifth more.
	Slower func(ctx context.Context) (path string, err error)
	// Config has the name prefix, the version and the stack, with this project's scheduler.
	Config testbed.Config
	// Blocks are those of each run.
	Blocks int

	slower   string
	workload perf.Workload
}

var _ prove.Prover = (*Prover)(nil)

// Open builds the slower scheduler.
func (p *Prover) Open(ctx context.Context, _ bool) (err error) {
	if p.workload, err = measured(); err != nil {
		return err
	}
	p.slower, err = p.Slower(ctx)
	return err
}

// Close does nothing: runs remove their control planes.
func (*Prover) Close(context.Context, bool) error { return nil }

// cpu is the threshold of the trials, as for a developer comparing a change.
var cpu = perf.Threshold{Workload: "template-claims", Metric: perf.SchedulerCPU, AtMost: 1.1} //nolint:gochecknoglobals // a constant

// measured is the workload of cpu, one of the default workloads.
func measured() (perf.Workload, error) {
	workloads, err := perf.DefaultWorkloads(false)
	if err != nil {
		return perf.Workload{}, err
	}
	i := slices.IndexFunc(workloads, func(w perf.Workload) bool { return w.Name == cpu.Workload })
	if i < 0 {
		return perf.Workload{}, fmt.Errorf("there is no workload %q", cpu.Workload)
	}
	return workloads[i], nil
}

// Try runs a comparison and judges it.
func (p *Prover) Try(ctx context.Context, t prove.Trial, dir string) (prove.Finding, error) {
	k := kindOf(t)
	variant := perf.Variant{Stack: p.Config.Cluster.Stack}
	o := perf.Options{
		Config: p.Config, Clusters: p.Clusters, Workloads: []perf.Workload{p.workload}, Blocks: p.Blocks,
		Thresholds: []perf.Threshold{cpu, {Workload: cpu.Workload, Metric: perf.PodsPerSecond, AtLeast: 0.8}},
		Reference:  variant, Candidate: variant,
	}
	o.ReportDir = dir
	if k.slower {
		o.Candidate.Programs = map[string]string{"kube-scheduler": p.slower}
	}
	if k.busy {
		end, err := load(ctx)
		defer end()
		if err != nil {
			return prove.Finding{}, err
		}
	}
	record, err := perf.Run(ctx, o)
	if err != nil {
		return prove.Finding{}, err
	}
	return k.judge(record), nil
}

func kindOf(t prove.Trial) kind {
	for _, k := range kinds {
		if strings.HasPrefix(t.ID, k.name+"-") {
			return k
		}
	}
	return kind{}
}

// judge reports whether a run's result is as expected for its kind.
func (k kind) judge(r perf.Record) prove.Finding {
	var f prove.Finding
	missed := 0
	for _, x := range r.Findings {
		if x.Judgement == perf.Missed {
			missed++
		}
		if x.Threshold == cpu {
			f.Note = fmt.Sprintf("%s, %.3f (%.3f to %.3f, %d blocks)", x.Judgement, x.Value, x.Low, x.High, x.Blocks)
			f.Detected = x.Judgement == perf.Met
			if k.slower {
				f.Detected = x.Judgement == perf.Missed
			}
		}
	}
	if !k.slower {
		f.Detected = missed == 0 && (f.Detected || k.busy)
	}
	return f
}

// load starts a busy program per processor, until end is called or this program is gone. Call end even after an
// error.
func load(ctx context.Context) (end func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	var started []*exec.Cmd
	end = func() {
		cancel()
		for _, cmd := range started {
			_ = cmd.Wait() // it was killed
		}
	}
	for range runtime.NumCPU() {
		cmd := exec.CommandContext(ctx, "sh", "-c", "while kill -0 $PPID 2>/dev/null; do :; done")
		if err := cmd.Start(); err != nil {
			return end, fmt.Errorf("take the machine: %w", err)
		}
		started = append(started, cmd)
	}
	return end, nil
}
