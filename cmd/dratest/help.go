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
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpColumns is the width of help texts.
const helpColumns = 120

// fewFlags is the maximum number of flags listed in a single section.
const fewFlags = 10

// commandGroups returns the sections of "dratest --help", each with its commands.
func commandGroups() []commandGroup {
	return []commandGroup{
		{"Test Commands:", []string{"run", "upgrade", "soak", "explore", "perf"}},
		{"Driver Commands:", []string{"certify", "sanity"}},
		{"Cluster Commands:", []string{"cluster", "images", "gather", "doctor", "version"}},
		{"Result Commands:", []string{"list", "report", "job", "manifests"}},
		{"Maintainer Commands:", []string{"known-issues", "prove"}},
	}
}

type commandGroup struct {
	title    string
	commands []string
}

// flagGroups returns the sections of flags shared by many commands. All other flags of a command are
// in its first section.
func flagGroups() []flagGroup {
	return []flagGroup{
		{"Cluster Flags:", []string{
			"agent-image", "assume-stock", "config", "context", "controllers", "feature-gates", "image", "image-registry",
			"in-cluster", "kubeconfig", "kubelet", "name", "node-image-registry", "node-image-source", "nodes", "pod-image",
			"program", "provider", "runtime-config", "scheduler", "stack", "version", "without", "workers",
		}},
		{"Selection Flags:", []string{
			"changed-since", "focus", "label-filter", "mutant", "only", "profile", "rerun-failed", "rest-of", "resume",
			"shard", "skip",
		}},
		{"Report Flags:", []string{"done-file", "output", "report-dir", "timelines"}},
		{"Signature Flags:", []string{"id-token", "sign-key", "sign-keyless", "signing-config", "trusted-root"}},
		{"Identity Flags:", []string{"contact", "identity", "organization", "project", "project-version", "url"}},
	}
}

type flagGroup struct {
	title string
	flags []string
}

// groupHelp sorts commands and flags into sections.
func groupHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("flagSections", flagSections)
	root.SetUsageTemplate(strings.NewReplacer(
		"Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}", "{{flagSections .LocalFlags}}",
	).Replace(root.UsageTemplate()))
	for _, group := range commandGroups() {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, command := range root.Commands() {
			if slices.Contains(group.commands, command.Name()) {
				command.GroupID = group.title
			}
		}
	}
}

// flagSections renders flags by section, wrapped to helpColumns.
func flagSections(flags *pflag.FlagSet) string {
	const rest = "Flags:"
	titles, groups, count := []string{rest}, map[string]string{}, 0
	flags.VisitAll(func(*pflag.Flag) { count++ })
	if count > fewFlags {
		for _, group := range flagGroups() {
			titles = append(titles, group.title)
			for _, name := range group.flags {
				groups[name] = group.title
			}
		}
	}
	sections := map[string]*pflag.FlagSet{}
	flags.VisitAll(func(flag *pflag.Flag) {
		title := cmp.Or(groups[flag.Name], rest)
		if sections[title] == nil {
			sections[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
		}
		sections[title].AddFlag(flag)
	})
	var texts []string
	for _, title := range titles {
		if section := sections[title]; section != nil {
			texts = append(texts, title+"\n"+strings.TrimRight(section.FlagUsagesWrapped(helpColumns), "\n"))
		}
	}
	return strings.Join(texts, "\n\n")
}
