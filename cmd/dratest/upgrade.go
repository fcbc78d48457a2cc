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
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/expectations"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/suites/requirements"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/path"
	"github.com/dra-conformance/dratest/upgrade/run"
)

// upgradeFlags are the flags of "dratest upgrade".
type upgradeFlags struct {
	run.Options

	stack      stackFlags
	identity   identityFlags
	from, to   string
	stay       map[string]string
	madeWith   map[string]bool
	gates      []string
	workers    int
	dryRun     bool
	agentImage string
	// driver is the file of a vendor's declaration.
	driver string
	// expected is the file of expected failures.
	expected string
}

func newUpgradeCommand() *cobra.Command {
	var f upgradeFlags
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Upgrade a cluster with running claims, and downgrade it",
		Long: `Upgrade a cluster with running claims, and downgrade it with --back. One component
of one node changes at a time, in the order of the version skew policy. Instead of
the version you can change feature gates (--gate) or replace Kubernetes' components
by dratest's own (--stack, --scheduler, --controllers, --kubelet). After each step,
cases check that existing claims still work and that new pods get devices. For a cluster
upgraded by another tool use "dratest upgrade begin", "check" and "end".

dratest creates a kind cluster of the first version and deletes it at the end. If the
run is interrupted or paused, or a component does not become healthy, the cluster is
kept and --resume continues the run. On Ctrl-C dratest finishes the current step or
stops the running cases; on the second Ctrl-C it exits immediately.

Exit codes: 0 passed; 1 a case failed or a component did not become healthy;
2 invalid usage; 3 the machine lacks a requirement; 4 not all steps were run.`,
		Example: `  dratest upgrade --from 1.36 --to 1.37 --back
  dratest upgrade --from 1.34 --to 1.37                      # via 1.35 and 1.36
  dratest upgrade --from 1.34 --to 1.37 --workers 3 --stay worker=1.34,worker2=1.35,worker3=1.36
  dratest upgrade --from 1.36 --gate DRAExtendedResource=false --gate DRAExtendedResource=true
  dratest upgrade --from 1.36 --feature-gates DRAExtendedResource=false --gate DRAExtendedResource=true
  dratest upgrade --from 1.37 --stack own --back             # to dratest's own components and back
  dratest upgrade --from 1.36 --to 1.37 --driver driver.yaml # with a vendor's driver and its devices
  dratest upgrade --from 1.36 --to 1.37 --pause-after 3      # continue with: dratest upgrade --resume`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := f.findVersions(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if err := f.complete(); err != nil {
				return withCode(codeUsage, err)
			}
			if f.Identity, f.Signer, err = f.identity.read(cmd.Context()); err != nil {
				return err
			}
			if f.Resume && f.expected != "" {
				return withCode(codeUsage, errors.New("--expectations: a resumed run keeps its own"))
			}
			if f.Expectations, err = readExpectations(f.expected, cases.Metas()); err != nil {
				return err
			}
			if f.dryRun {
				return printUpgrade(cmd.OutOrStdout(), f.Options)
			}
			return runUpgrade(cmd.Context(), cmd.OutOrStdout(), f)
		},
	}
	f.add(cmd.Flags())
	cmd.AddCommand(newUpgradeBeginCommand(), newUpgradeCheckCommand(), newUpgradeEndCommand(), newUpgradeWatchCommand())
	for _, row := range matrices {
		cmd.AddCommand(row.command())
	}
	return cmd
}

func (f *upgradeFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.from, "from", "", "Kubernetes version to start from, for example 1.36 (default: the one before the latest)")
	flags.StringVar(&f.to, "to", "", "Kubernetes version to upgrade to: a release, a prerelease, or the directory of a checkout (default: latest; with --gate or own components: --from)")
	flags.BoolVar(&f.Request.Back, "back", false, "downgrade again afterwards, step by step")
	flags.BoolVar(&f.Request.KubeletsLast, "kubelets-last", false, "upgrade kubelets once, after the last control plane upgrade, instead of at each minor version")
	flags.BoolVar(&f.Request.Drain, "drain", false, "drain nodes before their kubelet changes, as Kubernetes recommends; without it pods keep running")
	flags.StringToStringVar(&f.stay, "stay", nil, "maximum kubelet version of nodes, for example worker=1.34,worker2=1.35")
	flags.Var(cliflag.NewMapStringBool(&f.madeWith), "feature-gates", "feature gates of the cluster at creation, for example A=true,B=false")
	flags.StringArrayVar(&f.gates, "gate", nil, "feature gate to switch in all components before versions change, for example DRAExtendedResource=false; repeatable, in order")
	flags.IntVar(&f.workers, "workers", 2, "number of worker nodes")
	flags.StringVar(&f.Cluster.Name, "name", "dratest-upgrade", "name of the cluster to create")
	flags.StringVar(&f.driver, "driver", "", "driver declaration (driver.yaml, see \"dratest certify\"): install the driver and run its cases during the upgrade")
	f.stack.add(flags)
	f.identity.add(flags)
	addFilterFlags(flags, &f.Filter)
	flags.StringVar(&f.expected, "expectations", "", "YAML file of cases expected to fail, with reason, issue and last day; their failures do not fail the run")
	flags.BoolVar(&f.Strict, "strict", false, "report known Kubernetes issues as failures")
	flags.IntVar(&f.PauseAfter, "pause-after", 0, "pause after the step with this number")
	flags.BoolVar(&f.Resume, "resume", false, "resume the run in --report-dir along its path")
	flags.DurationVar(&f.StepTimeout, "step-timeout", 0, "time limit for a component to become healthy after its step (default 3m0s)")
	flags.BoolVar(&f.Keep, "keep", false, "keep the cluster and the objects of cases")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the steps without running them")
	flags.StringVar(&f.ReportDir, "report-dir", "", "output directory for the record, reports and evidence (default: $ARTIFACTS or ./_artifacts)")
	flags.StringVar(&f.PodImage, "pod-image", podImage, "busybox image for the pods of cases")
	flags.StringVar(&f.agentImage, "agent-image", "", "image of the test driver dra-sim (default: preloaded in dratest's node images)")
}

// findVersions finds the versions of the flags before a cluster is created, and replaces directories of checkouts by their
// versions.
func (f *upgradeFlags) findVersions(ctx context.Context, out io.Writer) error {
	find := findVersion(ctx, out)
	for _, text := range []*string{&f.from, &f.to} {
		if *text == "" {
			continue
		}
		v, err := find(*text)
		if err != nil {
			return err
		}
		*text = v.Kubernetes
	}
	for node, text := range f.stay {
		v, err := find(text)
		if err != nil {
			return err
		}
		f.stay[node] = v.Kubernetes
	}
	return nil
}

// findVersion returns images.Local.Version reporting progress.
func findVersion(ctx context.Context, out io.Writer) func(string) (versions.Version, error) {
	local := images.Local{Progress: progress.New(out)}
	return func(text string) (versions.Version, error) { return local.Version(ctx, text) }
}

// complete converts the flags into a request.
func (f *upgradeFlags) complete() error {
	f.Cluster.Workers = &f.workers
	// Components of other versions are built anyway and must match.
	f.Cluster.NodeImageSource = clusters.SourceBuild
	var errs []error
	look := func(text string) path.Version {
		v, err := run.Release(text)
		errs = append(errs, err)
		return v
	}
	if all := versions.All(); f.from == "" {
		f.from = all[1].Kubernetes
	}
	stack, err := f.stack.over(clusters.Stack{})
	errs = append(errs, err)
	f.Own = stack
	switch {
	case f.to == "" && (len(f.gates) > 0 || stack.HasOwn()):
		f.to = f.from
	case f.to == "":
		f.to = versions.Newest().Kubernetes
	}
	f.Request.From, f.Request.To = look(f.from), look(f.to)
	f.Request.Stay = map[string]path.Version{}
	for node, v := range f.stay {
		f.Request.Stay[f.Cluster.Name+"-"+node] = look(v)
	}
	f.Request.MadeWith = map[spec.Feature]bool{}
	for name, on := range f.madeWith {
		f.Request.MadeWith[spec.Feature(name)] = on
	}
	for _, text := range f.gates {
		name, value, _ := strings.Cut(text, "=")
		if value != "true" && value != "false" {
			errs = append(errs, fmt.Errorf("gate: %q is not like DRAExtendedResource=false", text))
		}
		f.Request.Gates = append(f.Request.Gates, path.Switch{Gate: spec.Feature(name), On: value == "true"})
	}
	f.Request.Known, err = run.Known(slices.AppendSeq([]path.Version{f.Request.From, f.Request.To}, maps.Values(f.Request.Stay))...)
	if err := errors.Join(append(errs, err)...); err != nil || f.Resume {
		return err
	}
	return images.Local{}.CanBuild(stack, f.Request.To.String())
}

func printUpgrade(out io.Writer, o run.Options) error {
	way, err := run.Plan(o)
	if err != nil {
		return withCode(codeUsage, err)
	}
	run.PrintPlan(out, run.Steps(way), 0)
	return nil
}

// upgradeParts returns the parts of upgrades without a cluster.
func upgradeParts() run.Parts {
	return run.Parts{Cases: cases.All(), Requirements: requirements.All()}
}

func runUpgrade(ctx context.Context, out io.Writer, f upgradeFlags) error {
	if !f.Resume {
		if _, err := run.Plan(f.Options); err != nil {
			return withCode(codeUsage, err)
		}
	}
	defer endOnNextSignal(ctx)()
	closeLog, err := clientLog(reports.Dir(f.ReportDir))
	if err != nil {
		return err
	}
	defer closeLog()
	o, p := f.Options, progress.New(out)
	agents := simAgents(f.agentImage)
	o.Command = os.Args
	o.Out, o.Stop, o.Driver = out, ctx.Done(), reports.DriverOf(agents.Driver())
	parts := upgradeParts()
	parts.Clusters, parts.Software = providers.NewClusters(p), &run.Built{Builder: images.Local{Progress: p}}
	if f.driver != "" {
		d, err := readDeclaration(f.driver)
		if err != nil {
			return err
		}
		if d.Hooks.Install.IsZero() && !f.Resume {
			return withCode(codeUsage, fmt.Errorf("%s: hooks.install is not declared, which puts the driver into the cluster", f.driver))
		}
		agents = agentsAt(imageFlags{agent: f.agentImage}, d.Nodes.KubeletRoot)
		parts.DriverUnderTest = certify.Vendors{Declaration: d, PodImage: f.PodImage, Out: out}
	}
	parts.Agents = agents
	record, err := run.Run(context.WithoutCancel(ctx), parts, o)
	return upgradeError(ctx, record, err)
}

// clientLog redirects client-go's log to a file: watches break whenever the API server is replaced.
func clientLog(dir string) (closeLog func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the report directory: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "client.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("make a log: %w", err)
	}
	klog.SetLogger(textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(file))))
	return func() { klog.ClearLogger(); _ = file.Close() }, nil
}

// upgradeError maps the result of a run to an exit code.
func upgradeError(ctx context.Context, r run.Record, err error) error {
	switch {
	case inUse(err), errors.Is(err, run.ErrOtherDriver), errors.Is(err, expectations.ErrExpired):
		return withCode(codeUsage, err)
	case errors.Is(err, certify.ErrDriver):
		return withCode(codeCasesFailed, err)
	case r.Verdict == schema.Failed || r.Verdict == schema.NothingRan, r.Verdict == schema.NothingPassed:
		return withCode(codeCasesFailed, errors.Join(errors.New("the upgrade did not pass"), err))
	case ctx.Err() != nil:
		return withCode(codeIncomplete, errors.Join(errors.New("interrupted"), err))
	case err != nil:
		return err
	case r.Verdict == schema.Incomplete:
		return withCode(codeIncomplete, errors.New("the run is incomplete"))
	default:
		return nil
	}
}
