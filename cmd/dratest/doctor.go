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
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters/host"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/framework/testbed/doctor"
)

func newDoctorCommand() *cobra.Command {
	var fix bool
	var output, kubeconfig, kubeContext, registry string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that this machine can run test clusters, or that an existing cluster can be tested",
		Long: `Check that this machine can run test clusters, and print what is missing.

With --fix, on Debian or Ubuntu as root, dratest installs docker.io and debootstrap
with apt-get and starts the container engine. A running engine is never changed.

With --kubeconfig, check instead that an existing cluster can be tested: API, nodes,
rights of the account, visible feature gates and components, images. Nothing in the
cluster is changed.

Exit codes: 0 nothing is missing; 3 something is missing.`,
		Example: `  dratest doctor --fix
  dratest doctor --kubeconfig ~/.kube/config --context staging`,
		Args: func(cmd *cobra.Command, args []string) error { return withCode(codeUsage, cobra.NoArgs(cmd, args)) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "table" && output != "json" {
				return withCode(codeUsage, fmt.Errorf("output %q: must be table or json", output))
			}
			if cmd.Flags().Changed("kubeconfig") {
				switch {
				case kubeconfig == "":
					return withCode(codeUsage, errors.New("kubeconfig: is empty"))
				case fix:
					return withCode(codeUsage, errors.New("fix: cannot be combined with --kubeconfig, because it changes only this machine: leave one of them out"))
				}
				return checkCluster(cmd, kubeconfig, kubeContext, registry, output)
			}
			if kubeContext != "" || registry != "" {
				return withCode(codeUsage, errors.New("context, image-registry: need --kubeconfig"))
			}
			var failure error
			if fix {
				failure = host.Fix(cmd.Context(), progress.New(cmd.ErrOrStderr()))
				if err := cmd.Context().Err(); err != nil {
					return withCode(codeEnvironment, failure)
				}
			}
			rows, err := host.Check(cmd.Context())
			if err != nil {
				return withCode(codeEnvironment, err)
			}
			if err := printRows(cmd.OutOrStdout(), rows, output, nextStep(rows)); err != nil {
				return err
			}
			if failure == nil {
				failure = host.Problem(rows)
			}
			return withCode(codeEnvironment, failure)
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "install and start what is missing (root on Debian or Ubuntu)")
	cmd.Flags().StringVar(&kubeconfig, "kubeconfig", "", "check this cluster instead of this machine")
	cmd.Flags().StringVar(&kubeContext, "context", "", "kubeconfig context (default: current-context)")
	cmd.Flags().StringVar(&registry, "image-registry", "", "with --kubeconfig: "+registryUsage)
	cmd.Flags().StringVarP(&output, "output", "o", "table", "output format: table or json")
	return cmd
}

func checkCluster(cmd *cobra.Command, kubeconfig, context, registry, output string) error {
	needed, err := neededImages(registry, "")
	if err != nil {
		return err
	}
	b, err := testbed.Open(cmd.Context(), testbed.Parts{}, testbed.Config{Kubeconfig: kubeconfig, Context: context, Out: io.Discard})
	if err != nil {
		return withCode(codeUsage, err)
	}
	// The second is the test driver's image, the third that of pods.
	rows, err := doctor.Check(cmd.Context(), b, []string{needed[1].Image, needed[2].Image})
	if err != nil {
		return withCode(codeEnvironment, err)
	}
	next := "This cluster can be tested. Next: dratest run --dry-run"
	for _, flag := range []string{"kubeconfig", "context", "image-registry"} {
		if value := cmd.Flags().Lookup(flag).Value.String(); value != "" {
			next += fmt.Sprintf(" --%s %s", flag, value)
		}
	}
	if host.Problem(rows) != nil {
		next = "Next: follow the advice in the rows marked missing."
	}
	if err := printRows(cmd.OutOrStdout(), rows, output, next); err != nil {
		return err
	}
	return withCode(codeEnvironment, host.Problem(rows))
}

// printRows prints a table with a last line, or JSON.
func printRows(out io.Writer, rows []host.Row, output, next string) error {
	if output == "json" {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(rows)
	}
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "NAME\tSTATE\tFOUND, ADVICE") // Flush returns the error
	for _, row := range rows {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", row.Name, row.State, row.Found)
		if row.Advice != "" {
			_, _ = fmt.Fprintf(table, "\t\t-> %s\n", row.Advice)
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print table: %w", err)
	}
	if _, err := fmt.Fprintf(out, "\n%s\n", next); err != nil {
		return fmt.Errorf("print table: %w", err)
	}
	return nil
}

// nextStep returns the last line below the table.
func nextStep(rows []host.Row) string {
	missing := slices.DeleteFunc(slices.Clone(rows), func(r host.Row) bool { return r.State != host.Missing })
	switch {
	case len(missing) == 0:
		return `This machine can run clusters. Next: "make e2e" in a checkout, or "dratest cluster create".`
	case !slices.ContainsFunc(missing, func(r host.Row) bool { return !r.Fixable }):
		return `Next: run "dratest doctor --fix".`
	default:
		return "Next: follow the advice in the rows marked missing."
	}
}
