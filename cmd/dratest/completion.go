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
	"regexp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
)

// completions returns the functions completing the values of flags, by flag name.
func completions() map[string]func() []string {
	stocks := func() []string { return []string{string(spec.Stock), string(spec.Own)} }
	return map[string]func() []string{
		"assume-stock": spec.AssumableNames,
		"candidate":    stocks,
		"controllers":  stocks,
		"focus":        caseIDs,
		"kubelet":      stocks,
		"matrix":       func() []string { return []string{"stock,own"} },
		"mutant":       mutantIDs,
		"node-image-source": func() []string {
			return []string{string(clusters.SourceAuto), string(clusters.SourceBuild), string(clusters.SourceRegistry)}
		},
		"profile": func() []string {
			return []string{string(spec.SubsetCore), string(spec.SubsetConformance), string(spec.SubsetAll)}
		},
		"provider": func() []string {
			return []string{clusters.ProviderKind, clusters.ProviderControlPlane}
		},
		"reference": stocks,
		"scheduler": stocks,
		"skip":      caseIDs,
		"stack":     stocks,
		"timelines": func() []string {
			return []string{string(spec.TimelinesAll), string(spec.TimelinesFailed), string(spec.TimelinesNone)}
		},
		"version": knownVersions,
	}
}

// directoryFlags returns the flags completed with directories.
func directoryFlags() []string {
	return []string{"cdi-dir", "dir", "programs", "report-dir", "rerun-failed", "rest-of"}
}

// complete registers the completions of all commands below root.
func complete(root *cobra.Command) { completeWith(root, completions()) }

func completeWith(root *cobra.Command, known map[string]func() []string) {
	root.Flags().VisitAll(func(flag *pflag.Flag) {
		values, ok := known[flag.Name]
		if !ok {
			return
		}
		// It fails only for flags with a completion of their own.
		_ = root.RegisterFlagCompletionFunc(flag.Name, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return values(), cobra.ShellCompDirectiveNoFileComp
		})
	})
	for _, name := range directoryFlags() {
		if root.Flags().Lookup(name) != nil {
			_ = root.MarkFlagDirname(name)
		}
	}
	for _, command := range root.Commands() {
		completeWith(command, known)
	}
}

// caseIDs returns a regular expression per case.
func caseIDs() []string {
	var ids []string
	for _, meta := range run.Metas(parts().Cases) {
		ids = append(ids, "^"+regexp.QuoteMeta(meta.ID)+"$")
	}
	return ids
}

func mutantIDs() []string {
	var ids []string
	for _, mutant := range spec.Mutants() {
		ids = append(ids, mutant.ID)
	}
	return ids
}

func knownVersions() []string {
	var all []string
	for _, version := range versions.All() {
		all = append(all, version.Kubernetes)
	}
	return all
}
