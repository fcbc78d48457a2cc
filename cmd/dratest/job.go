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
	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/framework/run/job"
)

// newJobCommand has helpers for containers of a Job. Its image contains no shell and no other program.
func newJobCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:    "job",
		Short:  "Serve the results of a run in a Job (internal)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "hold VOLUME", Short: "Wait until the results were fetched", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error { return job.Hold(cmd.Context(), args[0]) },
		},
		&cobra.Command{
			Use: "send VOLUME", Short: "Write the results as an archive", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error { return job.Send(cmd.OutOrStdout(), args[0]) },
		},
		&cobra.Command{
			Use: "release VOLUME", Short: "Say that the results were fetched", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return job.Release(args[0]) },
		},
	)
	return cmd
}
