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

package upgrades

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/upgrade/run"
)

// upgrades is an upgrade without a cluster: steps are immediate, and a case fails at its faulty step.
type upgrades struct {
	run.Clusters
	kubeconfig string
	did        []string
	broken     []string // cases, and "kubelet"
	interrupt  func()   // is called in the first upgrade
}

func (u *upgrades) Kubeconfig(string) (string, error)    { return u.kubeconfig, nil }
func (u *upgrades) Delete(context.Context, string) error { u.did = append(u.did, "delete"); return nil }
func (u *upgrades) Machines(context.Context, string) ([]clusters.Machine, error) {
	return []clusters.Machine{breaker{u: u, name: "c-worker"}, breaker{u: u, name: "c-worker2"}}, nil
}

type breaker struct {
	clusters.Machine
	u    *upgrades
	name string
}

func (b breaker) String() string { return b.name }

func (b breaker) Run(_ context.Context, input io.Reader, args ...string) (string, error) {
	what := strings.Join(args, " ")
	if input != nil {
		data, _ := io.ReadAll(input)
		what += string(data)
	}
	for text, broken := range map[string]string{"driver-rolling": "upgrade/driver-rolling", "dra_manager_state": "upgrade/checkpoint", "/bin/false": "kubelet"} {
		if strings.Contains(what, text) {
			b.u.did, b.u.broken = append(b.u.did, "break "+broken), append(b.u.broken, broken)
		}
	}
	return "", nil
}

func (u *upgrades) run(_ context.Context, _ run.Parts, o run.Options) (run.Record, error) {
	u.did = append(u.did, fmt.Sprintf("to %d, resume %t", o.PauseAfter, o.Resume))
	var record run.Record
	if o.Resume {
		var err error
		if record, err = run.LoadRecord(o.ReportDir); err != nil {
			return record, err
		}
	} else {
		way, err := run.Plan(o)
		if err != nil {
			return record, err
		}
		record = run.Record{SchemaVersion: run.RecordVersion, Steps: run.Steps(way), Cases: []run.Case{{ID: "upgrade/driver-rolling"}, {ID: "upgrade/checkpoint"}}}
	}
	for number := record.Done() + 1; number <= o.PauseAfter; number++ {
		if slices.Contains(u.broken, "kubelet") {
			record.Steps[number-1].Problem = "does not start"
			break
		}
		record.Steps[number-1].Done = true
		for i := range record.Cases {
			if c := &record.Cases[i]; c.Status == "" && slices.Contains(u.broken, c.ID) {
				c.Status = spec.Failed
				c.Pieces = append(c.Pieces, run.Piece{Phase: run.After, Step: number, Status: spec.Failed, Failure: "why"})
			}
		}
	}
	record.Verdict = schema.Incomplete
	data, _ := json.Marshal(record)
	if err := os.MkdirAll(o.ReportDir, 0o755); err != nil {
		return record, err
	}
	if err := os.WriteFile(filepath.Join(o.ReportDir, run.RecordFile), data, 0o600); err != nil {
		return record, err
	}
	if u.interrupt != nil {
		u.interrupt()
	}
	return record, nil
}

func newUpgrades(t *testing.T) *upgrades {
	u := &upgrades{kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: "http://127.0.0.1:1"}
	config.Contexts["c"] = &clientcmdapi.Context{Cluster: "c"}
	config.CurrentContext = "c"
	if err := clientcmd.WriteToFile(*config, u.kubeconfig); err != nil {
		t.Fatal(err)
	}
	return u
}

// prove runs the trials not needing an API server.
func (u *upgrades) prove(ctx context.Context, dir string, resume bool) (prove.Record, error) {
	o := prove.Options{Config: testbed.Config{ReportDir: dir}, Resume: resume, Only: []string{"driver-forgets", "checkpoint-unreadable", "kubelet-does-not-start"}}
	b := &Prover{Series: run.Series{Parts: run.Parts{Clusters: u}, Do: u.run}, Dir: filepath.Join(dir, "way")}
	b.Options.Cluster.Name = "c"
	return prove.Run(ctx, Proof(), b, o)
}

func TestBreaksPauseBeforeAndAfterEachStep(t *testing.T) {
	u := newUpgrades(t)
	record, err := u.prove(t.Context(), t.TempDir(), false)
	if err != nil || record.Verdict != schema.Passed {
		t.Errorf("got %s, %v: %+v", record.Verdict, err, record.Results)
	}
	if diff := cmp.Diff([]string{
		"to 1, resume false", "break upgrade/driver-rolling", "to 2, resume true",
		"to 5, resume true", "break upgrade/checkpoint", "to 6, resume true",
		"break kubelet", "to 7, resume true", "delete",
	}, u.did); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// A proof killed between the step and its record has injected the fault already: a second time, the next step would
// be blamed.
func TestBreaksThatWereKilledAfterTheStep(t *testing.T) {
	dir, u := t.TempDir(), newUpgrades(t)
	ctx, cancel := context.WithCancel(t.Context())
	upgrade := 0
	u.interrupt = func() {
		if upgrade++; upgrade == 2 {
			cancel()
		}
	}
	if record, err := u.prove(ctx, dir, false); err == nil || len(record.Results) > 0 || slices.Contains(u.did, "delete") {
		t.Fatalf("got %+v, %v, %v", record, err, u.did)
	}
	u.did = nil
	record, err := u.prove(t.Context(), dir, true)
	if err != nil || record.Verdict != schema.Passed {
		t.Errorf("got %s, %v: %+v", record.Verdict, err, record.Results)
	}
	if got := u.did[:2]; got[0] != "to 2, resume true" || got[1] != "to 5, resume true" {
		t.Errorf("did %v", u.did)
	}
}

// A cluster made by a process killed before it had a record blocks the next one.
func TestBreaksThatWereKilledBeforeTheUpgradeHadARecord(t *testing.T) {
	dir, u := t.TempDir(), newUpgrades(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := u.prove(ctx, dir, false); err == nil {
		t.Fatal("no error")
	}
	record, err := u.prove(t.Context(), dir, true)
	if err != nil || record.Verdict != schema.Passed || u.did[0] != "delete" || u.did[1] != "to 1, resume false" {
		t.Errorf("got %s, %v, did %v", record.Verdict, err, u.did)
	}
}
