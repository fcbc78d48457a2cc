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
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func walk(command *cobra.Command, visit func(*cobra.Command)) {
	visit(command)
	for _, sub := range command.Commands() {
		walk(sub, visit)
	}
}

func TestHelpFitsItsColumns(t *testing.T) {
	walk(newRootCommand(), func(command *cobra.Command) {
		for _, line := range strings.Split(command.Long+"\n\n"+command.UsageString(), "\n") {
			if len([]rune(line)) > helpColumns {
				t.Errorf("%s: %d columns: %s", command.CommandPath(), len([]rune(line)), line)
			}
		}
	})
}

func TestEveryCommandIsInAGroup(t *testing.T) {
	for _, command := range newRootCommand().Commands() {
		if command.GroupID == "" {
			t.Errorf("%q is in none of commandGroups", command.Name())
		}
	}
	for _, group := range commandGroups() {
		for _, name := range group.commands {
			if found, _, err := newRootCommand().Find([]string{name}); err != nil || found.Name() != name {
				t.Errorf("%s: there is no command %q", group.title, name)
			}
		}
	}
}

// A renamed flag would silently drop out of its section and out of completion.
func TestNamedFlagsExist(t *testing.T) {
	var flags []string
	walk(newRootCommand(), func(command *cobra.Command) {
		command.Flags().VisitAll(func(flag *pflag.Flag) { flags = append(flags, flag.Name) })
	})
	named := directoryFlags()
	for _, group := range flagGroups() {
		named = append(named, group.flags...)
	}
	for name := range completions() {
		named = append(named, name)
	}
	for _, name := range named {
		if !slices.Contains(flags, name) {
			t.Errorf("no command has --%s", name)
		}
	}
}

func TestFlagSections(t *testing.T) {
	out, code := execute(t, "run", "--help")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	at := -1
	for _, want := range []string{
		"\nFlags:\n", "--disruptive", "\nCluster Flags:\n", "--kubeconfig", "\nSelection Flags:\n", "--focus",
		"\nReport Flags:\n", "--report-dir", "\nIdentity Flags:\n", "--organization",
	} {
		next := strings.Index(out[max(at, 0):], want)
		if next < 0 {
			t.Fatalf("%q is missing, or not in order:\n%s", want, out)
		}
		at = max(at, 0) + next
	}
	if out, _ := execute(t, "report", "verify", "--help"); strings.Count(out, "Flags:") != 1 {
		t.Errorf("a command with few flags has more than one section:\n%s", out)
	}
}

func TestFlagValuesComplete(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "--stack", ""}, "own"},
		{[]string{"cluster", "create", "--provider", ""}, "controlplane"},
		{[]string{"run", "--focus", ""}, "^core/one-device$"},
		{[]string{"list", "--profile", ""}, "conformance"},
		{[]string{"upgrade", "--scheduler", ""}, "stock"},
	} {
		out, code := execute(t, append([]string{cobra.ShellCompRequestCmd}, test.args...)...)
		if code != 0 || !slices.Contains(strings.Split(out, "\n"), test.want) {
			t.Errorf("%v: exit code %d, %q is not offered:\n%s", test.args, code, test.want, out)
		}
	}
}
