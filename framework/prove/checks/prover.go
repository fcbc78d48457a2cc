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
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/drivers/sim/mutants"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// node is the node of the driver under test, neighbor the other node.
const (
	node     = "dratest-bugs"
	neighbor = "dratest-neighbor"
)

// WithCheck returns the bugs with a sanity check; the others are visible only with a kubelet.
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

// PairsName is the name of the proof with two bugs at a time.
const PairsName = "bug-pairs"

// Pairs has trials of two bugs, each to be detected by its own check. The seed draws them from all pairs with different
// checks that do not hide each other.
func Pairs(count int, seed uint64) (prove.Proof, error) {
	p := prove.Proof{Name: PairsName, Keyword: "detected"}
	bugs := WithCheck()
	var all [][2]mutants.Mutant
	for i, one := range bugs {
		for _, other := range bugs[i+1:] {
			all = append(all, [2]mutants.Mutant{one, other})
		}
	}
	// All pairs are shuffled, so that a pair with hidden checks does not change the other pairs of a seed.
	draw := rand.New(rand.NewPCG(seed, 0))
	draw.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, pair := range all {
		one, other := pair[0], pair[1]
		if one.Check != other.Check && !hides(one, other) && !hides(other, one) {
			p.Trials = append(p.Trials, prove.Trial{
				ID: one.ID + pairMark + other.ID, What: one.String() + " " + other.String(), Must: []string{one.Check, other.Check}, All: true,
			})
		}
	}
	if count < 1 || count > len(p.Trials) {
		return p, fmt.Errorf("pairs: %d: must be between 1 and %d", count, len(p.Trials))
	}
	p.Trials = p.Trials[:count]
	return p, nil
}

// hides reports whether another bug keeps the check of a bug from a verdict.
func hides(by, bug mutants.Mutant) bool {
	return slices.ContainsFunc(by.Hides, func(pattern string) bool {
		ok, err := path.Match(pattern, bug.Check)
		return ok && err == nil
	})
}

// pairMark separates the bugs of a pair.
const pairMark = "+"

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

// Prover runs dra-sim with and without each bug.
type Prover struct {
	Parts testbed.Parts
	// Config has the control plane to create.
	Config testbed.Config
	// Program is the path of dra-sim.
	Program string
	// Check runs a sanity check on a driver.
	Check func(ctx context.Context, client kubernetes.Interface, s LocalDriver, id string) (spec.Outcome, error)

	bed *testbed.Testbed
}

var _ prove.Prover = (*Prover)(nil)

// Open starts the API server and creates the nodes.
func (p *Prover) Open(ctx context.Context, _ bool) (err error) {
	if _, err := os.Stat(p.Program); err != nil {
		return fmt.Errorf("find the test driver, which make build puts beside dratest: %w", err)
	}
	p.bed, err = testbed.Open(ctx, p.Parts, p.Config)
	if err != nil {
		return err
	}
	for _, name := range []string{node, neighbor} {
		object := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{spec.LabelManagedBy: spec.ManagedBy}}}
		if _, err := p.bed.Client.CoreV1().Nodes().Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("make a node for drivers: %w", err)
		}
	}
	return nil
}

// Close removes everything created by Open.
func (p *Prover) Close(ctx context.Context, _ bool) error {
	return p.bed.Close(ctx, nil)
}

// Try runs the checks of the bugs with and without them.
func (p *Prover) Try(ctx context.Context, t prove.Trial, dir string) (prove.Finding, error) {
	bugs, err := mutants.FindAll(strings.ReplaceAll(t.ID, pairMark, ","))
	if err != nil {
		return prove.Finding{}, err
	}
	var with, without []spec.Outcome
	for _, check := range t.Must {
		for _, run := range []struct {
			name, ids string
			outcomes  *[]spec.Outcome
		}{{"with", ids(bugs), &with}, {"without", "", &without}} {
			outcome, err := p.check(ctx, bugs, run.ids, check, filepath.Join(dir, run.name, path.Base(check)))
			if err != nil {
				return prove.Finding{}, err
			}
			*run.outcomes = append(*run.outcomes, outcome)
		}
	}
	return judge(with, without), nil
}

func ids(bugs []mutants.Mutant) string {
	var all []string
	for _, b := range bugs {
		all = append(all, b.ID)
	}
	return strings.Join(all, ",")
}

// judge reports whether each check failed with the bugs and passed without them.
func judge(with, without []spec.Outcome) prove.Finding {
	var f prove.Finding
	var notes []string
	for i, bad := range with {
		switch good := without[i]; {
		case good.Status != spec.Passed:
			return prove.Finding{Problem: fmt.Sprintf("a driver without the bug does not pass %s: %s %s%s", good.ID, good.Status, good.Failure, good.Reason)}
		case bad.Status == spec.Failed:
			f.By, notes = append(f.By, bad.ID), append(notes, bad.Failure)
		default:
			f.Missed, notes = append(f.Missed, bad.ID), append(notes, fmt.Sprintf("%s %s", bad.Status, bad.Reason))
		}
	}
	f.Detected, f.Note = len(f.Missed) == 0, strings.Join(notes, "; ")
	return f
}

// check runs a driver with the bugs in ids for one check; its log and the outcome go to dir.
func (p *Prover) check(ctx context.Context, bugs []mutants.Mutant, ids, check, dir string) (outcome spec.Outcome, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return outcome, fmt.Errorf("make directory for evidence: %w", err)
	}
	defer func() { err = errors.Join(err, p.unpublish(ctx)) }()
	if slices.ContainsFunc(bugs, func(m mutants.Mutant) bool { return m.TwoNodes }) {
		other, err := p.start(ctx, neighbor, ids, filepath.Join(dir, "neighbor.log"))
		if err != nil {
			return outcome, err
		}
		defer func() { err = errors.Join(err, other.remove()) }()
		if err := p.published(ctx, neighbor); err != nil {
			return outcome, err
		}
	}
	d, err := p.start(ctx, node, ids, filepath.Join(dir, "driver.log"))
	if err != nil {
		return outcome, err
	}
	defer func() { err = errors.Join(err, d.remove()) }()
	if outcome, err = p.Check(ctx, p.bed.Client, d.description(), check); err != nil {
		return outcome, err
	}
	text, err := json.MarshalIndent(outcome, "", "  ")
	if err != nil {
		return outcome, fmt.Errorf("encode outcome: %w", err)
	}
	return outcome, os.WriteFile(filepath.Join(dir, "outcome.json"), append(text, '\n'), 0o644)
}

// start starts a driver on a node; it is removed on errors.
func (p *Prover) start(ctx context.Context, node, ids, log string) (*driver, error) {
	d, err := newDriver(p.Program, p.bed.Kubeconfig, node, ids, log)
	if err != nil {
		return nil, err
	}
	if err := d.start(ctx); err != nil {
		return nil, errors.Join(err, d.remove())
	}
	return d, nil
}

// published waits for the slices of a node.
func (p *Prover) published(ctx context.Context, node string) error {
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, starting, true, func(ctx context.Context) (bool, error) {
		list, err := p.bed.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorNodeName + "=" + node})
		return err == nil && len(list.Items) > 0, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the devices of node %s: %w", node, err)
	}
	return nil
}

// unpublish deletes the driver's slices, since there is no kubelet to do it.
func (p *Prover) unpublish(ctx context.Context) error {
	return p.bed.Client.ResourceV1().ResourceSlices().DeleteCollection(context.WithoutCancel(ctx), metav1.DeleteOptions{},
		metav1.ListOptions{FieldSelector: "spec.driver=" + driverName})
}
