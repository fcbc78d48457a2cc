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

package soaks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/faults"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Proof has a trial for each fault a soak must detect.
func Proof() prove.Proof {
	p := prove.Proof{Name: "soak", Keyword: "detected"}
	for _, i := range faults.Injections() {
		p.Trials = append(p.Trials, prove.Trial{ID: i.ID, What: "spoil the cluster under load with " + i.ID, Must: []string{string(i.Rule)}})
	}
	return p
}

// Prover soaks one cluster, with one fault each time.
type Prover struct {
	Parts   soak.Parts
	Options soak.Options

	bed *testbed.Testbed
}

var _ prove.Prover = (*Prover)(nil)

// Load is the load of each soak: few pods are enough for one violation. Most of the time is patience, since nothing
// may happen after the fault.
func Load(o soak.Options) soak.Options {
	o.Pods, o.AtOnce = 16, 30
	o.Every, o.Patience = 2*time.Second, 45*time.Second
	return o
}

// Open creates the cluster, replacing that of a killed process.
func (p *Prover) Open(ctx context.Context, _ bool) (err error) {
	o := p.Options
	p.bed, err = testbed.Open(ctx, p.Parts.Parts, o.Config)
	return err
}

// Close removes the cluster.
func (p *Prover) Close(ctx context.Context, _ bool) error { return p.bed.Close(ctx, nil) }

// Try soaks the cluster and injects the fault meanwhile.
func (p *Prover) Try(ctx context.Context, t prove.Trial, dir string) (prove.Finding, error) {
	o := p.Options
	o.Kubeconfig, o.Context = p.bed.Kubeconfig, p.bed.Context
	fault, err := faults.Find(faults.Injections(), t.ID)
	if err != nil {
		return prove.Finding{}, err
	}
	o.Faults = []soak.Fault{fault.With(o.PodImage)}
	o.ReportDir = dir
	summary, err := soak.Run(ctx, p.Parts, o)
	if err != nil {
		return prove.Finding{}, err
	}
	return judge(t, summary), nil
}

// judge: the soak must have failed with the violated rule.
func judge(t prove.Trial, s soak.Summary) prove.Finding {
	var f prove.Finding
	var others []string
	for _, found := range s.Findings {
		rule := string(found.Rule)
		switch {
		case found.Warning:
		case slices.Contains(t.Must, rule):
			f.By = append(f.By, rule)
		default:
			others = append(others, rule)
		}
	}
	slices.Sort(f.By)
	slices.Sort(others)
	f.By, others = slices.Compact(f.By), slices.Compact(others)
	for _, rule := range t.Must {
		if !slices.Contains(f.By, rule) {
			f.Missed = append(f.Missed, rule)
		}
	}
	f.Detected = s.Verdict == schema.Failed && len(f.Missed) == 0
	if len(others) > 0 {
		f.Note = "also found: " + strings.Join(others, ", ")
	}
	// An unreadable part may have had the rule's violation, even if others were found.
	if s.Verdict == schema.Incomplete || len(s.Problems) > 0 && len(f.Missed) > 0 {
		f.Problem = fmt.Sprintf("the soak is incomplete: %s", strings.Join(s.Problems, "; "))
	}
	return f
}
