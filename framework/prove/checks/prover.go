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

package checks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/drivers/sim/mutants"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// node is the drivers' node name.
const node = "dratest-bugs"

// WithCheck are the bugs with a sanity check; the others need a kubelet to show.
func WithCheck() []mutants.Mutant {
	return slices.DeleteFunc(mutants.All(), func(m mutants.Mutant) bool { return m.Check == "" })
}

// Name is the proof's.
const Name = "bugs"

// Proof has a trial for each bug of WithCheck.
func Proof() prove.Proof {
	p := prove.Proof{Name: Name, Keyword: "detected"}
	for _, m := range WithCheck() {
		p.Trials = append(p.Trials, prove.TrialOf(m.Defect, m.Check))
	}
	return p
}

// LocalDriver is a driver on this machine, as described to a sanity check.
type LocalDriver struct {
	// Driver is its name, Node the name of its node.
	Driver, Node string
	// Sockets is the pattern of its plugin sockets; the newest is used.
	Sockets, CDIDir, RegistryDir string
	// Checkpoint is its state file.
	Checkpoint                  string
	Restart, Upgrade, Downgrade func(context.Context) error
}

// Prover runs dra-sim with each bug, and without it.
type Prover struct {
	Parts testbed.Parts
	// Config has the control plane to create.
	Config testbed.Config
	// Program is the path of dra-sim.
	Program string
	// Check runs the sanity check of that ID on a driver.
	Check func(ctx context.Context, client kubernetes.Interface, s LocalDriver, id string) (spec.Outcome, error)

	bed *testbed.Testbed
}

var _ prove.Prover = (*Prover)(nil)

// Open starts the API server and creates the node.
func (p *Prover) Open(ctx context.Context, _ bool) (err error) {
	if _, err := os.Stat(p.Program); err != nil {
		return fmt.Errorf("find the test driver, which make build puts beside dratest: %w", err)
	}
	p.bed, err = testbed.Open(ctx, p.Parts, p.Config)
	if err != nil {
		return err
	}
	object := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node, Labels: map[string]string{spec.LabelManagedBy: spec.ManagedBy}}}
	if _, err := p.bed.Client.CoreV1().Nodes().Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("make a node for drivers: %w", err)
	}
	return nil
}

// Close removes what Open made.
func (p *Prover) Close(ctx context.Context, _ bool) error {
	return p.bed.Close(ctx, nil)
}

// Try runs the check of a bug with and without it.
func (p *Prover) Try(ctx context.Context, t prove.Trial, dir string) (prove.Finding, error) {
	mutant, err := mutants.Find(t.ID)
	if err != nil {
		return prove.Finding{}, err
	}
	var found [2]spec.Outcome
	for i, name := range []string{mutant.ID, ""} {
		if found[i], err = p.check(ctx, name, mutant.Check, filepath.Join(dir, []string{"with", "without"}[i])); err != nil {
			return prove.Finding{}, err
		}
	}
	return judge(found[0], found[1]), nil
}

func judge(with, without spec.Outcome) prove.Finding {
	f := prove.Finding{Note: with.Failure}
	switch {
	case without.Status != spec.Passed:
		f.Problem = fmt.Sprintf("a driver without the bug does not pass %s: %s %s%s", without.ID, without.Status, without.Failure, without.Reason)
	case with.Status == spec.Failed:
		f.Detected, f.By = true, []string{with.ID}
	default:
		f.Missed, f.Note = []string{with.ID}, fmt.Sprintf("%s %s", with.Status, with.Reason)
	}
	return f
}

// check runs a driver for one check; its log and the outcome go to dir.
func (p *Prover) check(ctx context.Context, mutant, check, dir string) (outcome spec.Outcome, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return outcome, fmt.Errorf("make folder for evidence: %w", err)
	}
	d, err := newDriver(p.Program, p.bed.Kubeconfig, mutant, filepath.Join(dir, "driver.log"))
	if err != nil {
		return outcome, err
	}
	defer func() { err = errors.Join(err, d.remove(), p.unpublish(ctx)) }()
	if err := d.start(ctx); err != nil {
		return outcome, err
	}
	if outcome, err = p.Check(ctx, p.bed.Client, d.description(), check); err != nil {
		return outcome, err
	}
	text, err := json.MarshalIndent(outcome, "", "  ")
	if err != nil {
		return outcome, fmt.Errorf("encode outcome: %w", err)
	}
	return outcome, os.WriteFile(filepath.Join(dir, "outcome.json"), append(text, '\n'), 0o644)
}

// unpublish deletes the driver's slices, since there is no kubelet to do it.
func (p *Prover) unpublish(ctx context.Context) error {
	return p.bed.Client.ResourceV1().ResourceSlices().DeleteCollection(context.WithoutCancel(ctx), metav1.DeleteOptions{},
		metav1.ListOptions{FieldSelector: "spec.driver=" + driverName})
}
