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
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/run/console"
	"github.com/dra-conformance/dratest/framework/run/job"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/expectations"
	"github.com/dra-conformance/dratest/reports/schema"
)

const podTemplateUsage = "file with a pod spec to merge with the pods of cases, for example with tolerations or imagePullSecrets; nodes with taints that it tolerates are used, too; the container named * stands for all"

const inClusterUsage = "use the cluster this pod runs in, with the pod's service account (see dratest manifests)"

// simulatedNodes is the number of nodes of a control plane created for a run: more than needed by
// cases without a kubelet.
const simulatedNodes = 4

// runFlags are the flags of "dratest run".
type runFlags struct {
	run.Options

	stack    stackFlags
	identity identityFlags
	images   imageFlags
	doneFile string
	expected string
	template string // of pods
	dryRun   bool
	repeat   int
	matrix   []string
	stacks   []clusters.Stack
	resumed  againFlags
}

func newRunCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run test cases on a cluster",
		Long: `Run test cases on a cluster and write a report.

Without --kubeconfig, dratest creates a kind cluster with a control plane node and
two workers, and deletes it afterwards. A third worker is added, unless --keep is
set, if the selection has cases that need a worker to themselves (mostly kubelet
restarts) and cases that can run in parallel to them. --provider controlplane creates a control
plane of local processes with simulated nodes instead, for cases without a kubelet.

With --kubeconfig, dratest uses an existing cluster. It creates a privileged
DaemonSet, namespaces and device classes, and deletes them afterwards. Nothing else
is changed, unless --disruptive lets cases restart kubelets or --restart-nodes lets
them restart nodes. To avoid using a cluster by accident, $KUBECONFIG is ignored
unless you add --provider existing.

With --focus, --skip, --label-filter or --expectations, the verdict is about the
cases of the run. No conformance profile is judged unless you add --profile.

On the first Ctrl-C dratest stops running cases, cleans up and writes the report. On
the second it exits immediately.`,
		Example: `  dratest run
  dratest run --kubeconfig ~/.kube/config --focus '^core/' --parallel 8
  dratest run --repeat 10 --focus '^eviction/'
  dratest run --matrix stock,own
  dratest run --label-filter '!Slow && !Serial' --dry-run --kubeconfig ~/.kube/config`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := f.start(cmd)
			if f.doneFile != "" && !f.dryRun {
				err = errors.Join(err, job.Done(f.doneFile, reports.Dir(f.ReportDir), err))
			}
			return err
		},
	}
	f.add(cmd.Flags())
	return cmd
}

// start runs the cases, or prints which would run.
func (f *runFlags) start(cmd *cobra.Command) (err error) {
	if f.Identity, f.Signer, err = f.identity.read(cmd.Context()); err != nil {
		return err
	}
	if f.Expectations, err = readExpectations(f.expected, run.Metas(parts().Cases)); err != nil {
		return err
	}
	if err := f.complete(cmd.Flags()); err != nil {
		return err
	}
	if f.repeat < 1 {
		return withCode(codeUsage, fmt.Errorf("repeat: %d: must be at least 1", f.repeat))
	}
	if err := f.resumed.complete(cmd.Flags(), &f.Options); err != nil {
		return err
	}
	if err := f.sideBySide(cmd.Flags()); err != nil {
		return withCode(codeUsage, err)
	}
	if f.dryRun {
		return dryRuns(cmd.Context(), cmd.OutOrStdout(), *f)
	}
	defer f.reportProgress(cmd.ErrOrStderr())()
	return runCases(cmd.Context(), cmd.OutOrStdout(), *f)
}

// reportProgress posts the progress of the run to Sonobuoy's worker, if there is one, until stop is called.
func (f *runFlags) reportProgress(warnings io.Writer) (stop func()) {
	port := os.Getenv(job.ProgressPort)
	if f.doneFile == "" || port == "" {
		return func() {}
	}
	reporter := job.NewReporter(port)
	f.Progress = func(p run.Progress) { reporter.Post(job.Progress(p)) }
	return func() {
		if err := reporter.Close(); err != nil {
			_, _ = fmt.Fprintln(warnings, "warning:", err)
		}
	}
}

func addTimelinesFlag(flags *pflag.FlagSet, t *spec.Timelines) {
	flags.StringVar((*string)(t), "timelines", "", "cases to keep a timeline of: all (default), failed (all that did not pass) or none; report.html embeds up to 5 MB of them")
}

// complete translates the flags of addRunning into options.
func (f *runFlags) complete(flags *pflag.FlagSet) (err error) {
	if err := findExisting(os.Stderr, &f.Config); err != nil {
		return withCode(codeUsage, err)
	}
	if f.Cluster.Stack, err = f.stack.over(f.Cluster.Stack); err != nil {
		return err
	}
	if f.Cluster.Provider == clusters.ProviderControlPlane {
		f.Cluster.Nodes = simulatedNodes
	}
	if f.PodTemplate, err = readPodTemplate("pod-template", f.template, false); err != nil {
		return withCode(codeUsage, err)
	}
	if err := f.Validate(); err != nil {
		return withCode(codeUsage, err)
	}
	return withCode(codeUsage, f.images.complete(flags, !f.Existing(), &f.PodImage))
}

func (f *runFlags) add(flags *pflag.FlagSet) {
	f.addRunning(flags)
	f.identity.add(flags)
	addFilterFlags(flags, &f.Filter)
	flags.StringVar(&f.expected, "expectations", "", "YAML file of cases expected to fail, with reason, issue and last day; their failures do not fail the run")
	flags.BoolVar(&f.Strict, "strict", false, "report known Kubernetes issues as failures")
	flags.BoolVar(&f.FailFast, "fail-fast", false, "stop after the first failure")
	flags.Int64Var(&f.Seed, "seed", 0, "random seed for the order of cases (default: current time)")
	flags.IntVar(&f.repeat, "repeat", 1, "repeat the run on the same cluster, with reports in run-1, run-2, ..., until a run does not pass")
	flags.StringSliceVar(&f.matrix, "matrix", nil, "stacks to compare on one cluster, for example stock,own or stock,scheduler=own+controllers=own; each gets a report directory, matrix.md and matrix.html list the differences; combined with --repeat, all repetitions run regardless of failures")
	f.resumed.add(flags)
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the plan, with the reason for each skipped case, without running anything")
	flags.StringVar(&f.doneFile, "done-file", "", "after the run, archive the report next to this file and write the archive's path to it (Sonobuoy plugin protocol)")
}

// addRunning adds the flags for the cluster, the rights of cases and the report.
func (f *runFlags) addRunning(flags *pflag.FlagSet) {
	addClusterFlags(flags, &f.Kubeconfig, &f.Context, &f.Cluster)
	flags.StringVar(&f.Cluster.Provider, "provider", "", "cluster provider: kind (default), controlplane (simulated nodes, for cases without a kubelet), or existing (the cluster that kubectl uses)")
	flags.BoolVar(&f.InCluster, "in-cluster", false, inClusterUsage)
	f.stack.add(flags)
	flags.BoolVar(&f.Disruptive, "disruptive", false, "with --kubeconfig: also run cases that restart kubelets or need exclusive use of the cluster; always on for clusters created by dratest")
	flags.BoolVar(&f.RestartNodes, "restart-nodes", false, "with --kubeconfig: also run cases that restart worker or control plane nodes")
	flags.StringSliceVar(&f.AssumeStock, "assume-stock", nil, "components to treat as unmodified upstream builds if dratest cannot detect it, so that known issues apply to them: "+strings.Join(spec.AssumableNames(), ", "))
	addTimelinesFlag(flags, &f.Timelines)
	flags.IntVarP(&f.Parallel, "parallel", "p", 4, "number of cases to run in parallel")
	flags.DurationVar(&f.Timeout, "timeout", time.Hour, "time limit for the whole run")
	addTimeoutScale(flags, &f.TimeoutScale)
	flags.BoolVar(&f.Keep, "keep", false, "keep the cluster, the test driver and the objects of failed cases")
	flags.StringVar(&f.ReportDir, "report-dir", "", "output directory for reports, logs and evidence (default: $ARTIFACTS or ./_artifacts)")
	flags.StringVar(&f.PodImage, "pod-image", podImage, "busybox image for the pods of cases")
	flags.StringVar(&f.template, "pod-template", "", podTemplateUsage)
	f.images.add(flags, "image of the test driver dra-sim")
}

func addTimeoutScale(flags *pflag.FlagSet, scale *float64) {
	flags.Float64Var(scale, "timeout-scale", 1, "multiply the time limits of cases and of their cleanup by this factor of at most 10, for slow clusters; deadlines that are part of a check do not change")
}

// readExpectations reads a file of expected failures of some cases. Without a file there are none.
func readExpectations(file string, metas []spec.Meta) ([]schema.Expectation, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, withCode(codeUsage, fmt.Errorf("expectations: %w", err))
	}
	all, err := expectations.Parse(data, metas, time.Now())
	if err != nil {
		return nil, withCode(codeUsage, fmt.Errorf("expectations: %s:\n%w", file, err))
	}
	return all, nil
}

// addClusterFlags adds the flags for an existing or created cluster.
func addClusterFlags(flags *pflag.FlagSet, kubeconfig, context *string, cluster *clusters.Config) {
	flags.StringVar(kubeconfig, "kubeconfig", "", "use an existing cluster instead of creating one")
	flags.StringVar(context, "context", "", "kubeconfig context (default: current-context)")
	flags.StringVar(&cluster.Name, "name", "", `name of the cluster to create (default "`+clusters.DefaultName+`")`)
	flags.StringVar(&cluster.Version, "version", "", "Kubernetes version of the cluster to create, for example v1.37: a release, a prerelease, or the directory of a checkout (default: latest listed)")
	flags.StringVar(&cluster.Image, "image", "", "node image, overriding the one for --version")
	addNodeImageFlags(flags, (*string)(&cluster.NodeImageSource), &cluster.NodeImageRegistry)
	addFeatureFlags(flags, cluster)
	flags.StringToStringVar(&cluster.Programs, "program", nil, "with --provider controlplane: binary that replaces one of the cluster to create, for example kube-scheduler=PATH")
}

// addFeatureFlags adds the flags for the features of a cluster to create.
func addFeatureFlags(flags *pflag.FlagSet, cluster *clusters.Config) {
	flags.Var(cliflag.NewMapStringBool(&cluster.FeatureGates), "feature-gates", "feature gates of the cluster to create, for cases that need non-default ones, for example A=true,B=false")
	cluster.RuntimeConfig = map[string]string{}
	flags.Var((*cliflag.ConfigurationMap)(&cluster.RuntimeConfig), "runtime-config", "APIs of the cluster to create to enable or disable, for example resource.k8s.io/v1beta1=true")
}

func addFilterFlags(flags *pflag.FlagSet, filter *plan.Filter) {
	flags.StringArrayVar(&filter.Focus, "focus", nil, "run only cases whose ID or description matches this regular expression; repeatable (OR)")
	flags.StringArrayVar(&filter.Skip, "skip", nil, "skip cases whose ID or description matches this regular expression; repeatable")
	flags.StringVar((*string)(&filter.Profile), "profile", "", "case set: core (fast smoke test), conformance (required of every cluster with default feature gates) or all (default)")
	flags.StringVar(&filter.Labels, "label-filter", "", "run only cases whose labels match this Ginkgo label filter, for example 'core && !Slow'")
	flags.StringVar((*string)(&filter.Mutant), "mutant", "", "enable this mutant in the test driver and run only the cases that must detect it; they are expected to fail")
}

func runCases(ctx context.Context, out io.Writer, f runFlags) error {
	signals, stop := notifySignals()
	defer stop()
	p, o := f.running(out)
	o.Signals = signals
	switch {
	case len(f.stacks) > 0:
		return matrixCases(ctx, out, p, o, f)
	case f.repeat > 1:
		return repeatCases(ctx, out, p, o, f.repeat)
	}
	report, err := run.Run(ctx, p, o)
	return runError(ctx, report, err)
}

// running returns the parts and options of the run.
func (f *runFlags) running(out io.Writer) (run.Parts, run.Options) {
	agents := f.images.agents()
	p := parts()
	p.Agents = agents
	if !f.InCluster { // a pod has no engine and no local builds
		p.Clusters = providers.NewClusters(progress.New(out))
	}
	o := f.Options
	o.Out, o.Driver = out, reports.DriverOf(agents.Driver())
	o.Cluster.Keep, o.Command = o.Keep, os.Args
	return p, o
}

// repeatCases runs the cases n times and prints a summary line.
func repeatCases(ctx context.Context, out io.Writer, p run.Parts, o run.Options, n int) error {
	report, number, err := run.Repeat(ctx, p, o, n)
	switch {
	case err == nil && report.Summary.Verdict == schema.Passed:
		_, _ = fmt.Fprintf(out, "%d runs, no flake\n", n)
	case number > 0:
		_, _ = fmt.Fprintf(out, "run %d of %d did not pass\n", number, n)
	}
	return runError(ctx, report, err)
}

// runError maps the result of a run to an exit code.
func runError(ctx context.Context, report schema.Report, err error) error {
	switch {
	case errors.Is(err, run.ErrNoRun), errors.Is(err, expectations.ErrExpired):
		return withCode(codeUsage, err)
	case errors.Is(err, run.ErrNothingRan):
		return withCode(codeCasesFailed, err)
	case inUse(err):
		return withCode(codeUsage, err)
	case err != nil && report.Summary.Verdict == schema.Failed && !errors.Is(err, run.ErrClusterGone):
		// A later error does not hide failed cases.
		return withCode(codeCasesFailed, fmt.Errorf("%w; and afterwards: %w", verdictError(report), err))
	case errors.Is(err, syscall.ENOSPC):
		return withCode(codeIncomplete, fmt.Errorf("the report is not complete, as its disk is full: make room and run again: %w", err))
	case err != nil && ctx.Err() != nil:
		return withCode(codeIncomplete, fmt.Errorf("interrupted: %w", err))
	case err != nil:
		return err
	}
	return verdictError(report)
}

// verdictError maps the verdict of a run to an exit code.
func verdictError(r schema.Report) error {
	result, reasons := r.Outcome()
	switch {
	case result == schema.ResultPassed:
		return nil
	case r.Summary.Violations > 0:
		return withCode(codeCasesFailed, fmt.Errorf("%d of %d cases failed, and monitors found %d violation(s)", r.Summary.Failed, r.Summary.Total, r.Summary.Violations))
	case r.Summary.Verdict == schema.Failed:
		return withCode(codeCasesFailed, fmt.Errorf("%d of %d cases failed", r.Summary.Failed, r.Summary.Total))
	case r.Summary.Verdict == schema.NothingPassed:
		return withCode(codeCasesFailed, errors.New("no case passed"))
	case result == schema.ResultFailed:
		return withCode(codeCasesFailed, run.ErrNothingRan)
	case len(reasons) > 0:
		return withCode(codeIncomplete, fmt.Errorf("the run is incomplete: %s", reasons[0]))
	default:
		return withCode(codeIncomplete, errors.New("the run is incomplete"))
	}
}

func dryRun(ctx context.Context, out io.Writer, f runFlags) error {
	p, err := run.DryRun(ctx, parts(), f.Options)
	switch {
	case errors.Is(err, run.ErrNothingRan):
		return withCode(codeCasesFailed, err)
	case inUse(err):
		return withCode(codeUsage, err)
	case err != nil:
		return err
	}
	if f.Existing() {
		console.Plan(out, p)
		return nil
	}
	if err := providers.NewClusters(&progress.Printer{}).Check(ctx, f.Cluster); err != nil {
		return err
	}
	for _, e := range p.Entries {
		if _, err := fmt.Fprintf(out, "selected %s\n", e.Meta.ID); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "%d cases selected. Use --kubeconfig to check which of them a cluster can run.\n", len(p.Entries))
	return err
}
