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
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/run"
)

// stageFlags are the flags of "dratest upgrade begin", "check" and "end".
type stageFlags struct {
	run.Options
	run.ExternalOptions

	stage    run.Stage
	images   imageFlags
	identity identityFlags
	driver   string
	expected string
}

func newUpgradeBeginCommand() *cobra.Command {
	f := stageFlags{stage: run.StageBegin}
	cmd := &cobra.Command{
		Use:   "begin --kubeconfig FILE",
		Short: "Prepare a cluster for an upgrade by another tool",
		Long: `Prepare a cluster for an upgrade by another tool, such as kubeadm or that of a cloud
provider. Cases create pods with claims. Then upgrade the cluster in as many steps as
you like. Run "dratest upgrade check" after each step, and "dratest upgrade end" after
the last one.

dratest creates a privileged DaemonSet, namespaces and device classes. They stay until
"dratest upgrade end"; other runs of dratest refuse the cluster until then. The state
is in --report-dir: keep it.

With --driver the cases use the devices of a driver installed in the cluster. With
--drain they expect your tool to drain nodes before their kubelet changes, or to
replace nodes; without it pods must keep running.

Exit codes: 0 the cases created their objects; 1 a case failed; 2 invalid usage, or
another upgrade or run uses the cluster; 3 a problem of the environment;
4 interrupted: run it again, or "dratest upgrade end".`,
		Example: `  dratest upgrade begin --kubeconfig ~/.kube/config
  kubeadm upgrade apply VERSION
  dratest upgrade check
  dratest upgrade end`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.images.complete(cmd.Flags(), false, &f.PodImage); err != nil {
				return withCode(codeUsage, err)
			}
			f.AgentImage, f.AgentTemplate = f.images.agent, f.images.template
			return f.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	f.addCluster(flags)
	flags.StringVar(&f.driver, "driver", "", "driver declaration (driver.yaml, see \"dratest certify\") of a driver in the cluster: run the cases with its devices")
	flags.BoolVar(&f.Drain, "drain", false, "the tool drains or replaces nodes; without it pods must keep running")
	addFilterFlags(flags, &f.Filter)
	flags.StringVar(&f.expected, "expectations", "", "YAML file of cases expected to fail, with reason, issue and last day; their failures do not fail the upgrade")
	flags.BoolVar(&f.ExternalOptions.Strict, "strict", false, "report known Kubernetes issues as failures")
	flags.StringVar(&f.PodImage, "pod-image", podImage, "busybox image for the pods of cases")
	f.images.add(flags, "image of the test driver dra-sim")
	return cmd
}

func newUpgradeCheckCommand() *cobra.Command {
	f := stageFlags{stage: run.StageCheck}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check a cluster after a step of an upgrade by another tool",
		Long: `Check a cluster after a step of an upgrade by another tool: existing pods and claims
are unchanged, and new pods get devices. The report lists the versions found, and the
changes since the last check. Run it when the tool has completed its step.

Exit codes: 0 nothing has failed so far; 1 a case failed or a monitor found a
violation; 2 invalid usage, for example without "dratest upgrade begin"; 3 a problem
of the environment; 4 interrupted: run it again.`,
		Example: `  dratest upgrade check
  dratest upgrade check --report-dir _artifacts/upgrade`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	f.addCluster(cmd.Flags())
	return cmd
}

func newUpgradeEndCommand() *cobra.Command {
	f := stageFlags{stage: run.StageEnd}
	cmd := &cobra.Command{
		Use:   "end",
		Short: "Check a cluster after an upgrade by another tool, and clean up",
		Long: `Check a cluster a last time after an upgrade by another tool, delete the pods and
claims of the cases, check for leftovers, and remove everything that dratest created.
The report has the verdict on the whole upgrade.

Exit codes: 0 passed; 1 a case failed or a monitor found a violation, at any time since
"dratest upgrade begin"; 2 invalid usage; 3 a problem of the environment; 4 the result
is incomplete.`,
		Example: `  dratest upgrade end
  dratest upgrade end --report-dir _artifacts/upgrade`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	f.addCluster(cmd.Flags())
	f.identity.add(cmd.Flags())
	return cmd
}

func newUpgradeWatchCommand() *cobra.Command {
	f := stageFlags{stage: run.StageCheck}
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Measure downtimes during an upgrade by another tool",
		Long: `Measure downtimes during an upgrade by another tool: the longest time in which no new
pod was scheduled, the API server did not answer, a node was not ready, or a driver
had no ResourceSlices. Start it after "dratest upgrade begin", wait until it prints
"watching", and leave it running; the next "dratest upgrade check" reports the
downtimes. Stop it with Ctrl-C before "dratest upgrade end".`,
		Example: `  dratest upgrade watch
  dratest upgrade watch --report-dir _artifacts/upgrade`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			parts := upgradeParts()
			if err := f.prepare(&parts, cmd.OutOrStdout()); err != nil {
				return err
			}
			closeLog, err := clientLog(filepath.Join(reports.Dir(f.ReportDir), "watch"))
			if err != nil {
				return err
			}
			defer closeLog()
			f.Out = cmd.OutOrStdout()
			return run.Watch(cmd.Context(), parts, f.Options)
		},
	}
	f.addCluster(cmd.Flags())
	return cmd
}

func (f *stageFlags) addCluster(flags *pflag.FlagSet) {
	text := "kubeconfig of the cluster"
	if f.stage != run.StageBegin {
		text += " (default: that of \"dratest upgrade begin\")"
	}
	flags.StringVar(&f.Options.Kubeconfig, "kubeconfig", "", text)
	flags.StringVar(&f.Options.Context, "context", "", "kubeconfig context (default: current-context)")
	flags.StringVar(&f.ReportDir, "report-dir", "", "directory of the upgrade's state, reports and evidence (default: $ARTIFACTS or ./_artifacts)")
}

func (f *stageFlags) run(ctx context.Context, out io.Writer) (err error) {
	if f.stage == run.StageBegin && f.Options.Kubeconfig == "" {
		return withCode(codeUsage, errors.New("--kubeconfig is required"))
	}
	if f.Identity, f.Signer, err = f.identity.read(ctx); err != nil {
		return err
	}
	if f.Expectations, err = readExpectations(f.expected, cases.Metas()); err != nil {
		return err
	}
	parts := upgradeParts()
	if err := f.prepare(&parts, out); err != nil {
		return err
	}
	defer endOnNextSignal(ctx)()
	closeLog, err := clientLog(reports.Dir(f.ReportDir))
	if err != nil {
		return err
	}
	defer closeLog()
	f.Command, f.Out, f.Stop = os.Args, out, ctx.Done()
	record, err := run.PerformStage(context.WithoutCancel(ctx), parts, f.Options, f.ExternalOptions, f.stage)
	return stageError(ctx, record, err)
}

// prepare sets the agents and the driver: from flags for begin, from the record for later stages.
func (f *stageFlags) prepare(parts *run.Parts, out io.Writer) error {
	if f.driver != "" {
		d, err := readDeclaration(f.driver)
		if err != nil {
			return err
		}
		f.KubeletRoot = d.Nodes.KubeletRoot
		parts.DriverUnderTest = certify.Vendors{Declaration: d, PodImage: f.PodImage, Out: out}
	}
	if f.stage != run.StageBegin {
		record, _, err := run.Begun(reports.Dir(f.ReportDir))
		if err != nil {
			return withCode(codeUsage, err)
		}
		if record.External != nil {
			f.ExternalOptions = record.External.ExternalOptions
		}
	}
	agents := agentsAt(imageFlags{agent: f.AgentImage, template: f.AgentTemplate}, f.KubeletRoot)
	parts.Agents, f.Driver = agents, reports.DriverOf(agents.Driver())
	return nil
}

// stageError maps the result of a stage to an exit code.
func stageError(ctx context.Context, r run.Record, err error) error {
	switch {
	case err != nil || !r.Open():
		return upgradeError(ctx, r, err)
	case r.Verdict == schema.Failed:
		return withCode(codeCasesFailed, errors.New("a case failed or a monitor found a violation"))
	default:
		return nil
	}
}
