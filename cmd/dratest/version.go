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
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// buildInfo describes this program.
type buildInfo struct {
	schema.Suite
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
}

func newVersionCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print version, commit and platform of dratest",
		Args:  usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			info := buildInfo{reports.SuiteVersion(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			switch output {
			case "json":
				return printJSON(cmd.OutOrStdout(), info)
			case "text":
				_, err := fmt.Fprintln(cmd.OutOrStdout(), info)
				return err
			}
			return withCode(codeUsage, fmt.Errorf("output %q: must be text or json", output))
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "output format: text or json")
	return cmd
}

func (b buildInfo) String() string {
	words := []string{"dratest", b.Version, b.Platform, b.GoVersion}
	if b.Commit != "" {
		words = append(words, "commit", b.Commit)
	}
	if b.Modified {
		words = append(words, "(modified)")
	}
	return strings.Join(words, " ")
}
