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
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "write docs/cli")

// docs/cli has a page per command with its --help text.
func TestCommandReference(t *testing.T) {
	const dir = "../../docs/cli"
	pages := commandReference(newRootCommand())
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, page := range pages {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if _, ok := pages[file.Name()]; !ok {
			t.Errorf("%s: there is no such command; run make generate", file.Name())
		}
	}
	for name, page := range pages {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if d := cmp.Diff(page, string(got)); err != nil || d != "" {
			t.Errorf("%s is not what --help prints; run make generate: %v\n%s", name, err, d)
		}
	}
}

// commandReference returns the pages of docs/cli by file name: README.md, and one per command below
// root with all of its subcommands.
func commandReference(root *cobra.Command) map[string]string {
	root.InitDefaultHelpFlag()
	pages := map[string]string{}
	index := "# Command reference\n\nGenerated from `--help` by `make generate`.\n\n" + helpBlock(root)
	for _, command := range root.Commands() {
		if !command.IsAvailableCommand() || slices.Contains([]string{"help", "completion"}, command.Name()) {
			continue
		}
		name := command.Name() + ".md"
		index += fmt.Sprintf("- [%s](%s): %s\n", command.CommandPath(), name, command.Short)
		pages[name] = strings.TrimSuffix(section(command, 1), "\n")
	}
	pages["README.md"] = index
	return pages
}

func section(command *cobra.Command, level int) string {
	text := strings.Repeat("#", level) + " " + command.CommandPath() + "\n\n" + helpBlock(command)
	for _, sub := range command.Commands() {
		if sub.IsAvailableCommand() {
			text += section(sub, level+1)
		}
	}
	return text
}

func helpBlock(command *cobra.Command) string {
	command.InitDefaultHelpFlag()
	text := command.Long
	if text == "" {
		text = command.Short
	}
	return "```text\n" + strings.TrimRight(text, "\n") + "\n\n" + strings.TrimRight(command.UsageString(), "\n") + "\n```\n\n"
}
