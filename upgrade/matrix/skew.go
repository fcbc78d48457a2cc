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

package matrix

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/prove"
	suite "github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/upgrade/path"
	"github.com/dra-conformance/dratest/upgrade/run"
)

// olderKubelets are the workers' kubelet versions, as old as the skew policy allows.
//
//nolint:gochecknoglobals // a table
var olderKubelets = []struct{ node, release string }{{"worker", "1.34"}, {"worker2", "1.35"}, {"worker3", "1.36"}}

// together is the trial with all kubelets at once.
const together = "all"

// SkewProof has a trial for the kubelets of each of the three versions before the control plane's, and one for all
// together.
func SkewProof() prove.Proof {
	p := prove.Proof{Name: "skew", Keyword: "passed"}
	for _, k := range olderKubelets {
		p.Trials = append(p.Trials, prove.Trial{ID: "kubelet-" + k.release, What: "run all cases on the node with the kubelet of Kubernetes " + k.release})
	}
	p.Trials = append(p.Trials, prove.Trial{ID: together, What: "run all cases on all nodes"})
	return p
}

// Skew runs the trials on one cluster, with the control plane upgraded from the oldest version to the newest.
type Skew struct {
	run.Series
	// Suite runs the cases.
	Suite        suite.Parts
	SuiteOptions suite.Options
	// Dir is the report directory of the upgrade making the cluster.
	Dir string

	bed *testbed.Testbed
}

var _ prove.Prover = (*Skew)(nil)

// Open makes the cluster, or resumes making it. "dratest upgrade" reports on the path itself.
func (p *Skew) Open(ctx context.Context, resumed bool) error {
	if err := p.Start(ctx, p.Dir, resumed); err != nil {
		return err
	}
	record, found, err := run.Begun(p.Dir)
	if err != nil {
		return err
	}
	if record.Verdict != schema.Passed {
		o := p.Options
		if o.Request, err = run.Between(olderKubelets[0].release, "1.37"); err != nil {
			return err
		}
		o.Request.Stay = map[string]path.Version{}
		for _, k := range olderKubelets {
			if o.Request.Stay[p.node(k.node)], err = run.Release(k.release); err != nil {
				return err
			}
		}
		workers := len(olderKubelets)
		o.Cluster.Workers = &workers
		o.Filter = plan.Filter{Focus: []string{"^upgrade/keeps-running "}}
		o.Keep, o.Resume, o.ReportDir = true, found, p.Dir
		record, err = p.Upgrade(ctx, o)
		if err != nil {
			return err
		}
		if record.Verdict != schema.Passed {
			return fmt.Errorf("the cluster could not be taken to its versions: %s, see %s", strings.Join(record.Problems, "; "), p.Dir)
		}
	}
	c := p.Options.Cluster
	p.bed, err = testbed.Open(ctx, testbed.Parts{Clusters: p.Parts.Clusters, Agents: p.Parts.Agents}, testbed.Config{Cluster: c, Keep: true, Reuse: true, Out: p.Options.Out})
	return err
}

func (p *Skew) node(name string) string { return p.Options.Cluster.Name + "-" + name }

// Close removes the cluster, unless trials are left to run on it.
func (p *Skew) Close(ctx context.Context, over bool) error {
	var err error
	if p.bed != nil {
		err = p.bed.Close(ctx, nil)
	}
	if !over {
		return err
	}
	return errors.Join(err, p.Remove(ctx))
}

// Try runs all cases on one node, or on all.
func (p *Skew) Try(ctx context.Context, t prove.Trial, dir string) (prove.Finding, error) {
	for _, k := range olderKubelets {
		away := t.ID != together && t.ID != "kubelet-"+k.release
		if err := cordon(ctx, p.bed.Client, p.node(k.node), away); err != nil {
			return prove.Finding{}, err
		}
	}
	o := p.SuiteOptions.On(p.bed)
	o.ReportDir = dir
	report, err := suite.Run(ctx, p.Suite, o)
	if err != nil {
		return prove.Finding{}, err
	}
	return cell(report), nil
}

func cordon(ctx context.Context, client kubernetes.Interface, node string, away bool) error {
	patch := fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, away)
	if _, err := client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("keep pods off node %s, or let them: %w", node, err)
	}
	return nil
}

func cell(r schema.Report) prove.Finding {
	f := prove.Finding{Detected: r.Summary.Verdict == schema.Passed, Note: r.Summary.String()}
	for _, c := range r.Cases {
		if slices.Contains([]spec.Status{spec.Failed, spec.Blocked}, c.Status) {
			f.Missed = append(f.Missed, c.ID)
		}
	}
	if r.Summary.Verdict == schema.Incomplete {
		f.Problem = "the run is incomplete: " + strings.Join(r.Problems, "; ")
	}
	return f
}
