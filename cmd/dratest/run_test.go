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
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/expectations"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestMain(m *testing.M) {
	run.Child(os.Args, parts)
	if os.Getenv(envMain) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// execute runs the command and returns its output and the process's exit code.
func execute(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&out)
	err := root.ExecuteContext(t.Context())
	if err == nil {
		return out.String(), 0
	}
	return out.String() + err.Error(), exitCode(err)
}

// In a checkout all stacks can be built.
func TestDryRunOfAMatrix(t *testing.T) {
	t.Setenv("DRATEST_STATE", t.TempDir())
	out, code := execute(t, "run", "--matrix", "stock,scheduler=own+kubelet=own:worker2", "--dry-run")
	if code != 0 || !strings.Contains(out, "== stack scheduler=own+kubelet=own:worker2\nselected") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestExitCodes(t *testing.T) {
	declaration, err := filepath.Abs("../../drivers/declarations/dra-sim/driver.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("DRATEST_STATE", t.TempDir())
	dead := filepath.Join(t.TempDir(), "kubeconfig")
	config := "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n" +
		"contexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n"
	if err := os.WriteFile(dead, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(name, until string) string {
		text := "apiVersion: dra-conformance.github.io/v1alpha1\nkind: Expectations\nexpectations:\n- {case: core/one-device, reason: r, issue: i, until: " + until + "}\n"
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"help":                      {[]string{"run", "--help"}, 0, "--label-filter"},
		"list":                      {[]string{"list"}, 0, "CHECKS"},
		"list nothing":              {[]string{"list", "--focus", "no such case", "-o", "json"}, codeUsage, "none of the"},
		"unknown flag":              {[]string{"run", "--nope"}, codeUsage, "nope"},
		"unknown command":           {[]string{"rum"}, codeUsage, `unknown command "rum"`},
		"unknown component":         {[]string{"images", "build", "--component", "etcd=."}, codeUsage, `unknown "etcd"`},
		"versions of a checkout":    {[]string{"images", "build", "--source", ".", "--version", "1.36,1.37"}, codeUsage, "only one"},
		"neither directory nor tag": {[]string{"images", "build", "--source", "1.38"}, codeUsage, "or the directory of a checkout"},
		"one unknown version":       {[]string{"images", "build", "--version", "1.37,1.99"}, codeUsage, `unknown Kubernetes version "1.99"`},
		"argument too many":         {[]string{"run", "x"}, codeUsage, "x"},
		"unknown output":            {[]string{"list", "-o", "xml"}, codeUsage, "use wide, json, yaml or markdown"},
		"bad regular expression":    {[]string{"run", "--focus", "("}, codeUsage, `focus "("`},
		"context alone":             {[]string{"run", "--context", "x"}, codeUsage, "needs a kubeconfig"},
		"stack of an existing":      {[]string{"run", "--kubeconfig", dead, "--scheduler", "own"}, codeUsage, "only be chosen for a cluster that is made"},
		"unknown provider":          {[]string{"run", "--provider", "k3s"}, codeUsage, "known are kind and controlplane"},
		"provider of an existing":   {[]string{"run", "--kubeconfig", dead, "--provider", "controlplane"}, codeUsage, "only be chosen for a cluster that is made"},
		"unknown scheduler":         {[]string{"run", "--scheduler", "ours"}, codeUsage, "neither stock nor own"},
		"filter matches nothing":    {[]string{"run", "--label-filter", "nope"}, codeCasesFailed, "nothing ran"},
		"dry run without cluster":   {[]string{"run", "--dry-run"}, 0, "Use --kubeconfig"},
		"dry run, unknown version":  {[]string{"run", "--dry-run", "--version", "1.38"}, codeUsage, "listed are " + versions.Newest().Kubernetes},
		"dry run, later version":    {[]string{"run", "--dry-run", "--version", "v1.99.0"}, codeUsage, "take a newer release of dratest"},
		"gates of an existing":      {[]string{"run", "--kubeconfig", dead, "--feature-gates", "A=true"}, codeUsage, "feature-gates: can only be chosen for a cluster that is made"},
		"dry run, no directory":     {[]string{"run", "--dry-run", "--report-dir", dead}, codeEnvironment, "is not a directory"},
		"dry run, no registry":      {[]string{"run", "--dry-run", "--kubeconfig", dead, "--image-registry", "not a registry"}, codeUsage, "not a registry"},
		"label filter that is none": {[]string{"run", "--dry-run", "--label-filter", "(("}, codeUsage, "label filter \"((\": Syntax Error Parsing Label Filter: Mismatched"},
		"dry run of nothing":        {[]string{"run", "--dry-run", "--focus", "no such case"}, codeCasesFailed, "nothing ran"},
		"no file of expectations":   {[]string{"run", "--expectations", "nowhere.yaml"}, codeUsage, "expectations: open nowhere.yaml"},
		"expectations":              {[]string{"run", "--expectations", write("good.yaml", "2999-12-31"), "--dry-run"}, 0, "cases selected"},
		"expired expectations":      {[]string{"run", "--expectations", write("old.yaml", "2020-12-31"), "--dry-run"}, codeUsage, "old.yaml:\nline 4: case core/one-device was expected to fail until 2020-12-31"},
		"stops at expectations":     {[]string{"run", "--expectations", write("good.yaml", "2999-12-31"), "--fail-fast"}, codeUsage, "would stop at an expected failure"},
		"resumed expectations":      {[]string{"run", "--expectations", write("good.yaml", "2999-12-31"), "--resume"}, codeUsage, "expectations: cannot be given with --resume"},
		"expectations in a Job":     {[]string{"manifests", "--", "--expectations", "x"}, codeUsage, "cannot be given to a run in a cluster"},
		"filter of a resumed run":   {[]string{"run", "--resume", "--focus", "x"}, codeUsage, "focus: cannot be given with --resume"},
		"resume and rerun":          {[]string{"run", "--resume", "--rerun-failed", "x"}, codeUsage, "leave one of them out"},
		"rerun into another":        {[]string{"run", "--rerun-failed", "x", "--report-dir", "y"}, codeUsage, "in its own directory"},
		"nothing to resume":         {[]string{"run", "--resume", "--report-dir", "nothing-here"}, codeUsage, "there is no run to go on with"},
		"matrix of an existing":     {[]string{"run", "--kubeconfig", dead, "--matrix", "stock,own"}, codeUsage, "leave --kubeconfig out"},
		"matrix and a stack":        {[]string{"run", "--matrix", "stock,own", "--scheduler", "own"}, codeUsage, "leave --scheduler out"},
		"matrix goes on":            {[]string{"run", "--matrix", "stock,own", "--resume"}, codeUsage, "matrix: cannot be given with --resume"},
		"matrix of one":             {[]string{"run", "--matrix", "stock"}, codeUsage, "name at least two stacks"},
		"matrix of no stack":        {[]string{"run", "--matrix", "stock,ours"}, codeUsage, `"ours" is neither stock, own`},
		"matrix twice the same":     {[]string{"run", "--matrix", "stock,kubelet=stock"}, codeUsage, "stock and kubelet=stock are the same"},
		"matrix without kubelets":   {[]string{"run", "--provider", "controlplane", "--matrix", "stock,own"}, codeUsage, "choose scheduler=own, controllers=own or both"},
		"kept control planes":       {[]string{"run", "--provider", "controlplane", "--matrix", "stock,scheduler=own", "--keep"}, codeUsage, "leave one of them out"},
		"matrix of nothing":         {[]string{"run", "--matrix", "stock,own", "--label-filter", "nope"}, codeCasesFailed, "nothing ran"},
		"stack without programs":    {[]string{"run", "--matrix", "stock,scheduler=own+kubelet=own:worker2", "--dry-run"}, codeEnvironment, "no dra-scheduler beside"},
		"matrix in a Job":           {[]string{"manifests", "--", "--matrix", "stock,own"}, codeUsage, "cannot be given to a run in a cluster"},
		"no such component":         {[]string{"run", "--assume-stock", "scheduler,etcd"}, codeUsage, `assume-stock: "etcd": must be one of apiserver, controllers, kubelet, scheduler`},
		"no kubeconfig there":       {[]string{"run", "--kubeconfig", "nowhere"}, codeEnvironment, "nowhere"},
		"cluster unreachable":       {[]string{"run", "--kubeconfig", dead}, codeEnvironment, "https://127.0.0.1:1"},
		"report in no directory":    {[]string{"run", "--kubeconfig", dead, "--report-dir", dead + "/reports"}, codeEnvironment, "make the report directory"},
		"outside of a cluster":      {[]string{"run", "--in-cluster", "--focus", "core"}, codeEnvironment, "the service account of this pod"},
		"in two clusters":           {[]string{"run", "--in-cluster", "--kubeconfig", dead}, codeUsage, "instead of a kubeconfig"},
		"restart of its own node":   {[]string{"run", "--in-cluster", "--restart-nodes"}, codeUsage, "on which this runs"},
		"endless proof":             {[]string{"prove", "combined", "--problems", "0"}, codeUsage, "must be at least 1"},
		"registry of nodes":         {[]string{"run", "--image-registry", "example.com"}, codeUsage, "--node-image-registry"},
		"registry, certify":         {[]string{"certify", "--versions", "1.37", "--image-registry", "example.com"}, codeUsage, "--node-image-registry"},
		"registry, soak":            {[]string{"soak", "--image-registry", "example.com"}, codeUsage, "--node-image-registry"},
		"registry, sanity":          {[]string{"sanity", "--kubeconfig", "x", "--image-registry", "https://x"}, codeUsage, "https://x"},
		"a kubeconfig in a Job":     {[]string{"manifests", "--", "--kubeconfig", "x"}, codeUsage, "cannot be given to a run in a cluster"},
		"wrong flag in a Job":       {[]string{"manifests", "--", "--nope"}, codeUsage, "the flags of dratest run"},
		"hooks in a Job":            {[]string{"manifests", "--certify", "--", "-f", declaration}, codeUsage, "hooks.install, hooks.upgrade, hooks.downgrade, hooks.uninstall, hooks.reboot would run in the Job's pod: give --image"},
		"hooks in an image":         {[]string{"manifests", "--certify", "--image", "x", "--", "-f", declaration}, 0, "- --file=/etc/dratest/file.yaml\n"},
		"certify nothing in a Job":  {[]string{"manifests", "--certify"}, codeUsage, "the flags of dratest certify: name the driver's declaration with -f"},
		"versions in a Job":         {[]string{"manifests", "--certify", "--", "--versions", "1.37"}, codeUsage, "versions: cannot be given to a run in a cluster"},
		"sanity in a Job":           {[]string{"manifests", "--sanity", "--", "-f", declaration, "--node=n"}, 0, "- --node=n\n"},
		"restarts in a Job":         {[]string{"manifests", "--sanity", "--", "--driver=d", "--node=n", "--restart=x"}, codeUsage, "--restart would run in the Job's pod"},
		"soak in a Job":             {[]string{"manifests", "--soak", "--", "--duration=2h"}, 0, "- soak\n"},
		"kept soak in a Job":        {[]string{"manifests", "--soak", "--", "--keep"}, 0, "  - leases\n  verbs:\n  - create\n  - get\n  - list\n  - watch\n  - update\n  - delete\n"},
		"a rate in a Job":           {[]string{"manifests", "--soak", "--", "--rate=5"}, codeUsage, "rate: needs -f"},
		"review of no report":       {[]string{"known-issues", "review", "--report", ""}, codeUsage, "report: must not be empty"},
		"kills in a Job":            {[]string{"manifests", "--soak", "--", "--kill=kubelet"}, codeUsage, "kill: cannot be given to a run in a cluster"},
		"two commands in a Job":     {[]string{"manifests", "--soak", "--certify"}, codeUsage, "choose one of them"},
		"no pod template in a Job":  {[]string{"manifests", "--", "--pod-template", "nowhere.yaml"}, codeUsage, "pod-template: open nowhere.yaml"},
		"no dashes":                 {[]string{"manifests", "core"}, codeUsage, "come after --"},
		"fetch from nowhere":        {[]string{"report", "fetch", "x"}, codeUsage, "kubeconfig: must be given"},
		"unknown form of images":    {[]string{"images", "list", "--built", "-o", "name"}, codeUsage, "table and json are known"},
		"no registry":               {[]string{"images", "list", "--image-registry", "https://x"}, codeUsage, "https://x"},
		"no report":                 {[]string{"report", "nowhere"}, codeUsage, "nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			out, code := execute(t, tc.args...)
			if code != tc.code || !strings.Contains(out, tc.want) {
				t.Errorf("exit code %d, want %d; %q is not in:\n%s", code, tc.code, tc.want, out)
			}
		})
	}
}

func TestReportCommandHasTheExitCodeOfTheRun(t *testing.T) {
	for status, code := range map[spec.Status]int{spec.Passed: 0, spec.Failed: codeCasesFailed, spec.Blocked: codeIncomplete, spec.NotApplicable: codeCasesFailed, spec.Known: codeCasesFailed} {
		dir := t.TempDir()
		plan := spec.Plan{Entries: []spec.Entry{{Meta: spec.Meta{ID: "a/a"}}}}
		outcomes := []spec.Outcome{{ID: "a/a", Status: status}}
		if err := reports.Write(dir, reports.Build(plan, outcomes, reports.Info{})); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"markdown", "junit", "json"} {
			if out, got := execute(t, "report", dir, "-o", format); got != code || !strings.Contains(out, "a/a") {
				t.Errorf("%s as %s: exit code %d, want %d: %s", status, format, got, code, out)
			}
		}
	}
}

func TestExampleOfExpectations(t *testing.T) {
	data := readFile(t, "../../examples/expectations.yaml")
	all, err := expectations.Parse([]byte(data), run.Metas(parts().Cases), time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC))
	if err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
	if _, rest, _ := strings.Cut(data, "\n"); !strings.Contains(readFile(t, "../../docs/run.md"), rest) {
		t.Error("docs/run.md has another example")
	}
}

func TestFullDiskLeavesTheRunIncomplete(t *testing.T) {
	full := fmt.Errorf("write report: %w", &os.PathError{Op: "write", Path: "report.json", Err: syscall.ENOSPC})
	err := runError(t.Context(), schema.Report{Summary: schema.Summary{Verdict: schema.Passed}}, full)
	if exitCode(err) != codeIncomplete || !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("exit code %d: %v", exitCode(err), err)
	}
}

func TestIdentity(t *testing.T) {
	write := func(content string) string {
		file := filepath.Join(t.TempDir(), "identity.yaml")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	f := identityFlags{file: write("organization: a\nproject: b\nversion: v1\ncontact: [x@example.com]\n")}
	f.Version = "v2"
	got, _, err := f.read(t.Context())
	want := schema.Implementation{Organization: "a", Project: "b", Version: "v2", Contact: []string{"x@example.com"}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	for _, content := range []string{"organisation: a\n", "a: ["} {
		if _, _, err := (identityFlags{file: write(content)}).read(t.Context()); exitCode(err) != codeUsage {
			t.Errorf("%q: %v", content, err)
		}
	}
	if _, _, err := (identityFlags{file: "nowhere"}).read(t.Context()); exitCode(err) != codeUsage {
		t.Error(err)
	}
}

func TestVerdictError(t *testing.T) {
	if err := verdictError(schema.Report{Summary: schema.Summary{Verdict: schema.Passed}}); err != nil {
		t.Error(err)
	}
	if err := verdictError(schema.Report{Summary: schema.Summary{Verdict: schema.NothingRan}}); !errors.Is(err, run.ErrNothingRan) {
		t.Errorf("got %v", err)
	}
}
