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
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/framework/companions/classic"
	"github.com/dra-conformance/dratest/framework/companions/fabric"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/faults"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestSoakRefusesBadInput(t *testing.T) {
	t.Setenv("DRATEST_STATE", t.TempDir())
	for args, message := range map[string]string{
		"soak x":                                 "x",
		"soak --pods=0":                          "pods:",
		"soak --kill=etcd":                       "known are scheduler",
		"soak --kill=scheduler --times=0":        "times:",
		"soak --kill=scheduler,kubelet --at=all": "no other component",
		"soak --at=all":                          "needs --kill kubelet",
		"soak --fabric --kill=kubelet":           "known are scheduler, controller-manager",
		"soak --fabric --kill=controllers":       "--controllers own",
		"soak --fabric --kubeconfig=k":           "not with --fabric",
		"soak --fabric --spoil=stuck-pod":        `with --fabric: unknown way "stuck-pod", known are detached-in-use`,
		"soak --fabric=race --times=0":           "times:",
		"soak --fabric=race --kill=fabric":       "kill: not with --fabric=race",
		"soak --fabric=both":                     "must be bind or reschedule",
		"soak --fabric --kill=driver":            "known are scheduler, controller-manager, controllers, composable-controller, fabric",
		"soak --classic --fabric":                "choose one",
		"soak --classic --kill=fabric":           "known are scheduler, controller-manager, controllers, driver",
		"soak --classic --kill=controllers":      "--controllers own",
		"soak --classic --scheduler=stock":       "not with --classic",
		"soak --classic --spoil=detached-in-use": `with --classic: unknown way "detached-in-use", known are double-allocation`,
		"soak --fabric --workers=0":              "needs a cluster created by soak",
		"soak --kill=scheduler --every=-1s":      "every:",
		"soak --spoil=everything":                "known are double-allocation",
		"soak --context=c":                       "kubeconfig",
		"soak --patience=0s":                     "patience:",
		"soak --kubeconfig=/does/not/exist -p 4": "shorthand",
	} {
		root := newRootCommand()
		root.SetArgs(strings.Fields(args))
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		if err := root.ExecuteContext(t.Context()); err == nil || exitCode(err) != codeUsage || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: got %v, exit code %d", args, err, exitCode(err))
		}
	}
}

// declared writes a declaration: that of dra-sim with a text replaced.
func declared(t *testing.T, old, by string) string {
	t.Helper()
	data, err := os.ReadFile("../../drivers/declarations/dra-sim/driver.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "driver.yaml")
	if !strings.Contains(string(data), old) {
		t.Fatalf("no %q in the declaration", old)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(data), old, by, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestSoakOfADriverRefusesBadInput(t *testing.T) {
	t.Setenv("DRATEST_STATE", t.TempDir())
	good := declared(t, "version: v1", "version: v2")
	undeployed := declared(t, "deploy:\n  daemonSet: dra-sim-driver/dra-sim-driver\n", "deploy:\n")
	noNumber := declared(t, "memory: 64Mi", "memory: small")
	ofRun := t.TempDir()
	if err := os.WriteFile(filepath.Join(ofRun, "report.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for args, message := range map[string]string{
		"-f " + good + " --kubeconfig=k --report-dir=" + ofRun:    "has the report of a run",
		"-f /does/not/exist --kubeconfig=k":                       "read the declaration",
		"-f " + good:                                              "with --kubeconfig or, for one that dratest has made, with --name",
		"-f " + noNumber + " --kubeconfig=k":                      "small",
		"-f " + undeployed + " --kubeconfig=k --kill=driver":      "deploy.daemonSet is not declared",
		"-f " + good + " --kubeconfig=k --kill=scheduler":         "known are kubelet, driver",
		"-f " + good + " --kubeconfig=k --rate=0":                 "rate:",
		"-f " + good + " --kubeconfig=k --duration=10s":           "duration:",
		"-f " + good + " --kubeconfig=k --at-once=1":              "at once:",
		"-f " + good + " --kubeconfig=k --spoil=stuck-pod":        "spoil: not with -f",
		"-f " + good + " --kubeconfig=k --fabric":                 "fabric: not with -f",
		"-f " + good + " --kubeconfig=k --every=0s --kill=driver": "every:",
		"--kubeconfig=k --rate=5":                                 "needs -f",
	} {
		root := newRootCommand()
		root.SetArgs(append([]string{"soak"}, strings.Fields(args)...))
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		if err := root.ExecuteContext(t.Context()); err == nil || exitCode(err) != codeUsage || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: got %v, exit code %d", args, err, exitCode(err))
		}
	}
}

// Without a kill, a declaration without a daemon set is enough: processes are found by their sockets.
func TestSoakOfAnUndeployedDriver(t *testing.T) {
	f, flags := soakFlags{}, pflag.NewFlagSet("soak", pflag.ContinueOnError)
	f.add(flags)
	file := declared(t, "deploy:\n  daemonSet: dra-sim-driver/dra-sim-driver\n", "deploy:\n")
	if err := flags.Parse([]string{"-f", file, "--kubeconfig=k", "--kill=kubelet", "--duration=1h"}); err != nil {
		t.Fatal(err)
	}
	o, _, err := f.installedOptions(flags)
	if err != nil || o.Validate() != nil || o.Duration != time.Hour || o.Every != installedEvery || o.AtOnce != 0 || len(o.Faults) != 1 || o.Installed.Limits[spec.PrepareP50] != 0.1 {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestSoakOfADriverInAJob(t *testing.T) {
	root, out := newRootCommand(), &strings.Builder{}
	root.SetArgs([]string{"manifests", "--soak", "--image=i", "--", "-f", declared(t, "version: v1", "version: v2"), "--kill=kubelet,driver", "--duration=1h"})
	root.SetOut(out)
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"- soak\n", "- --file=/etc/dratest/file.yaml\n", "- --kill=kubelet,driver\n", "version: v2"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in the manifests", want)
		}
	}
}

func TestSoakOptions(t *testing.T) {
	f := soakFlags{kill: []string{"scheduler"}, times: 3, spoil: "stuck-pod"}
	f.Options = soak.Options{Pods: 1, AtOnce: 2, Every: 1, Patience: 1}
	o, err := f.options(io.Discard, nil)
	var names []string
	for _, fault := range o.Faults {
		names = append(names, fault.Name())
	}
	if got := strings.Join(names, ", "); err != nil || got != "kill scheduler, kill scheduler, kill scheduler, spoil with stuck-pod" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestEveryComponentCanBeKilled(t *testing.T) {
	for _, component := range faults.Components() {
		f := soakFlags{kill: []string{component}, times: 1}
		f.Options = soak.Options{Pods: 1, AtOnce: 2, Every: 1, Patience: 1}
		o, err := f.options(io.Discard, nil)
		if err != nil || len(o.Faults) != 1 || o.Faults[0].Name() != "kill "+component {
			t.Errorf("%s: got %v, %v", component, o.Faults, err)
			continue
		}
		if _, blinds := o.Faults[0].(soak.Blinder); blinds != (component == "apiserver") {
			t.Errorf("%s: the soak sees nothing meanwhile: %t", component, blinds)
		}
	}
}

func TestSoakExitCodes(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("broken")
	for _, tc := range []struct {
		ctx     context.Context
		verdict schema.Verdict
		err     error
		want    int
	}{
		{t.Context(), schema.Passed, nil, 0},
		{t.Context(), schema.Failed, nil, codeCasesFailed},
		{t.Context(), schema.Failed, broken, codeCasesFailed},
		{ended, schema.Failed, broken, codeCasesFailed},
		{t.Context(), schema.Incomplete, nil, codeIncomplete},
		{ended, "", broken, codeIncomplete},
		{t.Context(), "", broken, codeEnvironment},
		{t.Context(), "", fmt.Errorf("hold: %w", testbed.ErrReserved), codeUsage},
	} {
		err := soakError(tc.ctx, soak.Summary{Verdict: tc.verdict}, tc.err)
		if got := 0; err != nil {
			got = exitCode(err)
			if got != tc.want {
				t.Errorf("%s, %v: got %d", tc.verdict, tc.err, got)
			}
		} else if tc.want != 0 {
			t.Errorf("%s, %v: got no error", tc.verdict, tc.err)
		}
	}
}

func TestSoakOfAFabricKillsInTurns(t *testing.T) {
	f := soakFlags{kill: []string{"scheduler", "composable-controller", "fabric", "driver"}, times: 2, spoil: "detached-in-use", workers: 3}
	f.Options = soak.Options{Pods: 1, AtOnce: 2, Every: 1, Patience: 1}
	o, err := f.planeOptions(newSoakCommand(), nil, &fabric.Soak{When: fabric.Reschedule})
	var names []string
	for _, fault := range o.Faults {
		names = append(names, fault.Name())
	}
	const want = "kill scheduler, kill composable-controller, kill fabric, kill driver, kill scheduler, kill composable-controller, kill fabric, kill driver, " +
		"spoil with detached-in-use"
	if got := strings.Join(names, ", "); err != nil || got != want || o.Cluster.Nodes != 3 || o.Cluster.Workers != nil {
		t.Errorf("got %s, %+v, %v", got, o.Cluster, err)
	}
}

// The cluster has no scheduler: the soak starts its own.
func TestSoakOfClassicDRA(t *testing.T) {
	f := soakFlags{kill: []string{"scheduler", "controllers", "driver"}, times: 1, spoil: "left-device", workers: 3, classic: true, stack: stackFlags{all: "scheduler=own,controllers=own"}}
	f.Options = soak.Options{Pods: 1, AtOnce: 2, Every: 1, Patience: 1}
	o, err := f.planeOptions(newSoakCommand(), nil, &classic.Soak{})
	var names []string
	for _, fault := range o.Faults {
		names = append(names, fault.Name())
	}
	if got := strings.Join(names, ", "); err != nil || got != "kill scheduler, kill controllers, kill driver, spoil with left-device" {
		t.Errorf("got %s, %v", got, err)
	}
	if c := o.Cluster; c.Stack.Scheduler != "" || c.Stack.Controllers != "own" || len(c.Without) != 1 || c.Without[0] != "scheduler" {
		t.Errorf("got %+v", c)
	}
}
