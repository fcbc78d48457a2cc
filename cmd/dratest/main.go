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

// Command dratest creates Kubernetes clusters, runs the DRA conformance and end-to-end cases on them
// and writes reports. It only wires packages together.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters/progress/live"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
)

func main() {
	run.Child(os.Args, parts)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, end := context.WithCancelCause(ctx)
	root := newRootCommand()
	root.SetOut(live.On(os.Stdout, os.Getenv))
	if root.OutOrStdout() == os.Stdout {
		root.SetOut(newPipe(os.Stdout, end))
	}
	root.SetErr(live.On(os.Stderr, os.Getenv))
	err := root.ExecuteContext(ctx)
	stop()
	if outputClosed(ctx, err) {
		os.Exit(128 + int(syscall.SIGPIPE))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "dratest: %s\n", spec.Printable(err.Error()))
		os.Exit(exitCode(err))
	}
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:     "dratest",
		Short:   "Conformance and end-to-end tests for Kubernetes Dynamic Resource Allocation",
		Version: reports.SuiteVersion().Version,
		Long: `Conformance and end-to-end tests for Kubernetes Dynamic Resource Allocation (DRA).

Exit codes: 0 passed; 1 failed, or no case passed; 2 invalid usage or configuration;
3 the machine or cluster lacks a requirement; 4 incomplete: a required case was
excluded, could not run, has no verdict or passed only on a retry.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return withCode(codeUsage, err) })
	root.AddCommand(
		newCertifyCommand(),
		newClusterCommand(),
		newDoctorCommand(),
		newExploreCommand(),
		newGatherCommand(),
		newImagesCommand(),
		newJobCommand(),
		newKnownIssuesCommand(),
		newListCommand(),
		newManifestsCommand(),
		newPerfCommand(),
		newProveCommand(),
		newReportCommand(),
		newRunCommand(),
		newSanityCommand(),
		newSoakCommand(),
		newUpgradeCommand(),
		newVersionCommand(),
	)
	usageErrors(root)
	optionsFile(root)
	groupHelp(root)
	complete(root)
	return root
}
