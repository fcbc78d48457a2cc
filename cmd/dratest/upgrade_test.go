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
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters/versions"
)

func upgradeSays(t *testing.T, args ...string) (string, int) {
	t.Helper()
	root := newRootCommand()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(append([]string{"upgrade", "--dry-run"}, args...))
	err := root.ExecuteContext(t.Context())
	if err == nil {
		return out.String(), 0
	}
	return err.Error(), exitCode(err)
}

// listed is the listed release of a minor version.
func listed(t *testing.T, minor string) string {
	t.Helper()
	v, err := versions.Lookup(minor)
	if err != nil {
		t.Fatal(err)
	}
	return v.Kubernetes
}

func TestUpgradePlans(t *testing.T) {
	v134, v136, v137 := listed(t, "1.34"), listed(t, "1.36"), listed(t, "1.37")
	for name, tc := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"there and back": {[]string{"--from", "1.36", "--to", "1.37", "--back"}, 0, []string{"14 steps", "1  kube-apiserver on dratest-upgrade-control-plane: " + v136 + " to " + v137}},
		"newest":         {nil, 0, []string{"7 steps", versions.All()[1].Kubernetes + " to " + versions.Newest().Kubernetes}},
		"stay": {[]string{"--from", "1.34", "--to", "1.36", "--workers", "1", "--stay", "worker=1.34", "--name", "n"}, 0,
			[]string{"10 steps", "kubelet " + v134 + " to " + v136 + " (2 minor behind)"}},
		"gate":        {[]string{"--from", "1.36", "--gate", "DRAExtendedResource=false"}, 0, []string{"6 steps", "kube-scheduler on dratest-upgrade-control-plane: DRAExtendedResource off"}},
		"locked gate": {[]string{"--from", "1.37", "--gate", "DRAExtendedResource=false"}, codeUsage, []string{"locked to true", "gate-locked"}},
		"gate that is off": {[]string{"--from", "1.36", "--feature-gates", "DRAExtendedResource=false", "--gate", "DRAExtendedResource=true"}, 0,
			[]string{"6 steps", "1  kube-apiserver on dratest-upgrade-control-plane: DRAExtendedResource on"}},
		"own": {[]string{"--from", "1.37", "--stack", "scheduler=own,kubelet=own:worker2", "--back"}, 0,
			[]string{"4 steps", "1  kube-scheduler on dratest-upgrade-control-plane: " + v137 + " to own " + v137, "3  kubelet on dratest-upgrade-worker2: own " + v137 + " to " + v137}},
		"own of no version": {[]string{"--from", "1.36", "--scheduler", "own"}, codeUsage, []string{"dra-scheduler: it is built for Kubernetes " + v137}},
		"own with gates":    {[]string{"--from", "1.37", "--scheduler", "own", "--gate", "DRAConsumableCapacity=false"}, codeUsage, []string{"own components only"}},
		"bad gate":          {[]string{"--gate", "DRAExtendedResource"}, codeUsage, []string{"is not like"}},
		"bad version":       {[]string{"--from", "1.30"}, codeUsage, []string{`"1.30"`, v134}},
		"nothing":           {[]string{"--from", "1.36", "--to", "1.36"}, codeUsage, []string{"nothing to do"}},
		"unknown node":      {[]string{"--stay", "nobody=1.36"}, codeUsage, []string{"dratest-upgrade-nobody"}},
	} {
		t.Run(name, func(t *testing.T) {
			text, code := upgradeSays(t, tc.args...)
			for _, want := range tc.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in: %s", want, text)
				}
			}
			if code != tc.code {
				t.Errorf("exit code %d, want %d: %s", code, tc.code, text)
			}
		})
	}
}
