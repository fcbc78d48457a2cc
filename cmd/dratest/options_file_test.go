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
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	cliflag "k8s.io/component-base/cli/flag"
)

// optionsCommand is a command with a flag of each kind. It prints nothing and keeps what it got.
type optionsCommand struct {
	Version, Name string
	Parallel      int
	Keep          bool
	Focus, Matrix []string
	Gates         map[string]bool
	Commits       []string
}

func (o *optionsCommand) execute(file string, args ...string) error {
	root := &cobra.Command{Use: "root", SilenceUsage: true, SilenceErrors: true}
	cmd := &cobra.Command{Use: "do", RunE: func(*cobra.Command, []string) error { return nil }}
	flags := cmd.Flags()
	flags.StringVar(&o.Version, "version", "", "")
	flags.StringVar(&o.Name, "name", "default", "")
	flags.IntVar(&o.Parallel, "parallel", 4, "")
	flags.BoolVar(&o.Keep, "keep", false, "")
	flags.StringArrayVar(&o.Focus, "focus", nil, "")
	flags.StringSliceVar(&o.Matrix, "matrix", nil, "")
	flags.Var(cliflag.NewMapStringBool(&o.Gates), "feature-gates", "")
	flags.Func("commit", "", func(commit string) error {
		if o.Commits = append(o.Commits, commit); commit == "" {
			return errors.New("must not be empty")
		}
		return nil
	})
	for i := range fewFlags { // a command with few flags has no such file
		flags.Bool(fmt.Sprint("other-", i), false, "")
	}
	root.AddCommand(cmd)
	optionsFile(root)
	root.SetArgs(append([]string{"do", "--options-file", file}, args...))
	root.SetOut(io.Discard)
	return root.Execute()
}

func TestOptionsFile(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		args []string
		want optionsCommand
		err  []string
	}{
		"all kinds": {
			text: "version: 1.30\nparallel: 8\nkeep: true\nfocus: ['^core/', 'a,b']\nmatrix: [stock, own]\nfeature-gates: {A: true, B: false}\ncommit: [a, b]\n",
			want: optionsCommand{
				Version: "1.30", Name: "default", Parallel: 8, Keep: true, Focus: []string{"^core/", "a,b"}, Matrix: []string{"stock", "own"},
				Gates: map[string]bool{"A": true, "B": false}, Commits: []string{"a", "b"},
			},
		},
		"the command line takes precedence": {
			text: "parallel: 8\nname: file\nfocus: [a, b]\n", args: []string{"--name=given", "--focus=c"},
			want: optionsCommand{Name: "given", Parallel: 8, Focus: []string{"c"}},
		},
		"one value with commas":        {text: "matrix: stock,own\nfocus: |\n  a,b\n", want: optionsCommand{Name: "default", Parallel: 4, Matrix: []string{"stock", "own"}, Focus: []string{"a,b"}}},
		"list of a number":             {text: "parallel: []\n", err: []string{":1: parallel: takes a single value"}},
		"alias":                        {text: "name: &x a\nversion: *x\n", err: []string{"line 2: version: is an alias"}},
		"another tag":                  {text: "name: !!binary Mw==\n", err: []string{"line 1: name: must be a string"}},
		"an empty list empties a flag": {text: "focus: []", want: optionsCommand{Name: "default", Parallel: 4, Focus: []string{}}},
		"wrong names and values": {
			text: "parallels: 8\nparallel: many\ncommit: ''\noptions-file: x\n",
			err:  []string{`:1: unknown flag "parallels"`, ":2: parallel: ", `invalid syntax`, ":3: commit: ", "must not be empty", `:4: unknown flag "options-file"`},
		},
		"twice":          {text: "keep: true\nkeep: false\n", err: []string{`line 2: "keep" is also on line 1`}},
		"null":           {text: "name:\n", err: []string{"line 1: name: must be a string, number or boolean"}},
		"nested":         {text: "focus: [[a]]\n", err: []string{"line 1: focus: must be"}},
		"no map":         {text: "- keep\n", err: []string{"must be a map of flags"}},
		"empty":          {text: "", err: []string{"is empty"}},
		"two documents":  {text: "keep: true\n---\nkeep: false\n", err: []string{"must be a single YAML document"}},
		"not YAML":       {text: "keep: [", err: []string{"options-file: "}},
		"too big a file": {text: "name: " + strings.Repeat("x", optionsLimit), err: []string{"more than 1048576 bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "options.yaml")
			if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var got optionsCommand
			err := got.execute(file, tc.args...)
			if tc.err == nil {
				if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
					t.Errorf("%v\n%s", err, diff)
				}
				return
			}
			if exitCode(err) != codeUsage {
				t.Fatalf("exit code %d: %v", exitCode(err), err)
			}
			for _, want := range tc.err {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %v", want, err)
				}
			}
		})
	}
	if err := new(optionsCommand).execute(filepath.Join(t.TempDir(), "none")); exitCode(err) != codeUsage {
		t.Errorf("a missing file: exit code %d: %v", exitCode(err), err)
	}
}
