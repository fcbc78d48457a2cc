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
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSanityReadsTheDeclaration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "driver.yaml")
	err := os.WriteFile(file, []byte(`
identity: {organization: o, project: p, version: v1}
driver: gpu.example.com
classes: [{name: gpu, devicesPerNode: 1}]
nodes: {kubeletRoot: /data/kubelet}
config: {valid: [{a: b}], invalid: [{a: 1}]}
workload: {present: [x], absent: [y]}
limits: {republish: 40s}
deploy: {checkpointPaths: [/data/state.json]}
hooks: {upgrade: {command: [sh, -c, exit 1]}}
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name  string
		flags []string
		want  []string
	}{
		{"nothing else", nil, []string{"gpu.example.com", "gpu", "/data/kubelet", "40s", `{"a":"b"}`, `{"a":1}`}},
		{"flags come first", []string{"--driver=x", "--class=y", "--publish-timeout=3s"}, []string{"x", "y", "/data/kubelet", "3s", `{"a":"b"}`, `{"a":1}`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var f sanityFlags
			cmd := newSanityCommand()
			cmd.ResetFlags()
			f.add(cmd.Flags())
			if err := cmd.ParseFlags(append(tc.flags, "-f", file)); err != nil {
				t.Fatal(err)
			}
			if err := f.declared(cmd.Flags()); err != nil {
				t.Fatal(err)
			}
			o := f.options(nil)
			if d := cmp.Diff([]string{"/data/state.json"}, o.CheckpointPaths); d != "" || o.Upgrade != nil {
				t.Errorf("upgrade without --restart: %t%s", o.Upgrade != nil, d)
			}
			f.restart = "true"
			if o = f.options(nil); o.Upgrade == nil || o.Downgrade != nil || o.Upgrade(t.Context()) == nil {
				t.Errorf("hooks are not those of the declaration")
			}
			got := append([]string{f.driver, f.class, f.kubeletRoot, f.publishTimeout.Round(time.Second).String()}, append(f.valid, f.invalid...)...)
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	f := sanityFlags{file: filepath.Join(t.TempDir(), "none.yaml")}
	if err := f.declared(newSanityCommand().Flags()); exitCode(err) != codeUsage {
		t.Errorf("a declaration that is not there: %v", err)
	}
}
