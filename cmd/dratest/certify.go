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
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// certifyFlags are the flags of "dratest certify".
type certifyFlags struct {
	certify.Options

	identity identityFlags
	file     string
	images   imageFlags
	versions string
	dryRun   bool
	list     bool
	resumed  againFlags
	load     bool
}

// addCertifyTarget adds the flags for the driver's cluster.
func addCertifyTarget(flags *pflag.FlagSet, c *testbed.Config, cluster *string) {
	flags.StringVar(&c.Kubeconfig, "kubeconfig", "", "kubeconfig of the cluster with the driver")
	flags.StringVar(&c.Context, "context", "", "kubeconfig context (default: current-context)")
	flags.StringVar(cluster, "name", "", "name of a cluster created by dratest, instead of --kubeconfig")
}

// findCertifyTarget finds the cluster's kubeconfig.
func findCertifyTarget(c *testbed.Config, cluster string) (err error) {
	switch {
	case c.InCluster && c.Kubeconfig == "" && cluster == "":
	case c.InCluster || (c.Kubeconfig == "") == (cluster == ""):
		return withCode(codeUsage, errors.New("say which cluster has the driver, with --kubeconfig or, for one that dratest has made, with --name"))
	case cluster != "":
		c.Kubeconfig, err = providers.NewClusters(&progress.Printer{}).Kubeconfig(cluster)
	default:
		c.Kubeconfig, err = filepath.Abs(c.Kubeconfig)
	}
	return err
}

func newCertifyCommand() *cobra.Command {
	var f certifyFlags
	cmd := &cobra.Command{
		Use:   "certify -f driver.yaml (--kubeconfig FILE | --name CLUSTER | --versions A..B)",
		Short: "Certify a DRA driver",
		Long: `Test the driver installed in a cluster against its declaration, driver.yaml, and
issue a certificate. "dratest certify init" writes a declaration from a cluster.

Before the first case, dratest prints which cases run, which do not and why, and how
long they take. It creates namespaces with claims and pods, and a privileged
DaemonSet on the nodes, and removes them at the end. Without --disruptive, no
kubelet and no pod of the driver is stopped. With --disruptive, cases also restart
kubelets and the driver's DaemonSet, delete the driver's ResourceSlices, and run the
hooks of the declaration.

--load adds the optional profile load: after all cases, pods are created and deleted
for five minutes. With --disruptive, kubelets and the driver are killed meanwhile (see
dratest soak). Violations count for the verdict. Without --load, a note on the
certificate says that the driver was not tested under load.

Exit codes: 0 certified; 1 not certified; 2 wrong usage or declaration; 3 the
cluster does not match the declaration; 4 incomplete.`,
		Example: `  dratest certify init --driver gpu.example.com --kubeconfig ~/.kube/config > driver.yaml
  dratest certify -f driver.yaml --kubeconfig ~/.kube/config --dry-run
  dratest certify -f driver.yaml --kubeconfig ~/.kube/config --disruptive --agent-image registry.example.com/dra-sim:1
  dratest certify -f driver.yaml --versions 1.34..1.37`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.list {
				return listCertify(cmd.OutOrStdout())
			}
			var err error
			if f.Run.Identity, f.Run.Signer, err = f.identity.read(cmd.Context()); err != nil {
				return err
			}
			if err := f.images.complete(cmd.Flags(), !f.Run.Existing(), &f.Run.PodImage); err != nil {
				return withCode(codeUsage, err)
			}
			if err := f.resumed.complete(cmd.Flags(), &f.Run); err != nil {
				return err
			}
			return certifyDriver(cmd.Context(), cmd.OutOrStdout(), f)
		},
	}
	f.add(cmd.Flags())
	cmd.AddCommand(newCertifyInitCommand(), newCertifyInstallCommand(), newCertifyUninstallCommand(), newCertifyBreakCommand(), newCertifyHealCommand())
	return cmd
}

func (f *certifyFlags) add(flags *pflag.FlagSet) {
	addCertifyTarget(flags, &f.Run.Config, &f.Cluster)
	flags.BoolVar(&f.Run.InCluster, "in-cluster", false, inClusterUsage)
	flags.StringVarP(&f.file, "file", "f", "", "driver declaration (driver.yaml)")
	flags.BoolVar(&f.Install, "install", false, "run the declaration's install hook first and its uninstall hook last")
	flags.StringVar(&f.versions, "versions", "", "Kubernetes versions to certify for, for example 1.34..1.37 or 1.36,v1.38.0-beta.0; a cluster is created for each, instead of --kubeconfig, and the install hook run in it")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the plan without running anything")
	flags.BoolVar(&f.list, "list", false, "list the cases every driver must pass")
	flags.BoolVar(&f.Run.Disruptive, "disruptive", false, "also run cases that restart kubelets; required for certification")
	flags.BoolVar(&f.load, "load", false, "also put the driver under load for five minutes (optional profile load)")
	const uncertified = "; the driver is not certified then"
	flags.StringArrayVar(&f.Run.Filter.Focus, "focus", nil, "run only cases whose ID or description matches this regular expression; repeatable (OR)"+uncertified)
	flags.StringArrayVar(&f.Run.Filter.Skip, "skip", nil, "skip cases whose ID or description matches this regular expression; repeatable"+uncertified)
	flags.StringVar(&f.Run.Filter.Labels, "label-filter", "", "run only cases whose labels match this Ginkgo label filter, for example '!Serial'"+uncertified)
	flags.BoolVar(&f.Run.Strict, "strict", false, "report known Kubernetes issues as failures")
	f.resumed.add(flags)
	flags.IntVarP(&f.Run.Parallel, "parallel", "p", 2, "number of cases to run in parallel, unless the declaration sets limits.serial")
	flags.DurationVar(&f.Run.Timeout, "timeout", 0, "time limit for the whole run (default 1h)")
	addTimeoutScale(flags, &f.Run.TimeoutScale)
	flags.StringVar(&f.Run.ReportDir, "report-dir", "", "output directory for reports, logs, evidence and the certificate (default: $ARTIFACTS or ./_artifacts)")
	addTimelinesFlag(flags, &f.Run.Timelines)
	flags.StringVar(&f.Run.PodImage, "pod-image", podImage, "busybox image for pods, unless the declaration sets one")
	f.images.add(flags, "image of dra-sim, whose agent reads node state")
	f.identity.add(flags)
}

func listCertify(out io.Writer) error {
	for _, c := range certifyMetas() {
		if _, err := fmt.Fprintf(out, "%-32s %s\n", c.ID, c.Checks); err != nil {
			return err
		}
	}
	return nil
}

func readDeclaration(file string) (declarations.Declaration, error) {
	if file == "" {
		return declarations.Declaration{}, withCode(codeUsage, errors.New("name the driver's declaration with -f; `dratest certify init` writes one"))
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return declarations.Declaration{}, withCode(codeUsage, fmt.Errorf("read the declaration: %w", err))
	}
	d, err := declarations.Parse(data)
	if err != nil {
		return d, withCode(codeUsage, fmt.Errorf("%s:\n%w", file, err))
	}
	return d, nil
}

func certifyDriver(ctx context.Context, out io.Writer, f certifyFlags) error {
	d, err := readDeclaration(f.file)
	if err != nil {
		return err
	}
	if f.versions != "" {
		return certifyVersions(ctx, out, f, d)
	}
	if err := findCertifyTarget(&f.Run.Config, f.Cluster); err != nil {
		return err
	}
	p, stop := f.complete(out, d)
	defer stop()
	switch err := f.Run.Validate(); {
	case err != nil:
		return withCode(codeUsage, err)
	case f.dryRun:
		return certifyError(schema.Certificate{}, certify.DryRun(ctx, p, f.Options))
	}
	return certifyError(certify.Run(ctx, p, f.Options))
}

// complete sets the options without flags. Until stop, the certification receives signals.
func (f *certifyFlags) complete(out io.Writer, d declarations.Declaration) (p run.Parts, stop func()) {
	f.Declaration, f.Contract = d, contract()
	if d.Limits.Serial {
		f.Run.Parallel = 1
	}
	f.Run.Signals, stop = notifySignals()
	if f.load {
		f.Load = certify.Load{Duration: loadDuration, Run: underLoad(f.images, d, f.Cluster != "" || f.versions != "")}
	}
	if dir, err := cache.Open(""); err == nil {
		f.Timings = dir.Path("timings")
	}
	f.Run.Out, f.Run.Command, f.Run.Driver = out, os.Args, reports.DriverOf(d.Driver, "")
	p = parts()
	p.Agents = agentsOf(f.images, d)
	return p, stop
}

// agentsOf returns agents for the nodes of a declared driver.
func agentsOf(images imageFlags, d declarations.Declaration) testbed.Sim {
	agents := agentsAt(images, d.Nodes.KubeletRoot)
	agents.Config.Labels, agents.Config.Annotations = d.Namespace.Labels, d.Namespace.Annotations
	return agents
}

// certifyVersions certifies a driver on one cluster per version, in sequence.
func certifyVersions(ctx context.Context, out io.Writer, f certifyFlags, d declarations.Declaration) error {
	switch {
	case f.Run.Existing() || f.Run.Context != "" || f.dryRun:
		return withCode(codeUsage, errors.New("--versions makes clusters of its own: leave --kubeconfig, --context, --in-cluster and --dry-run out"))
	case d.Hooks.Install.IsZero():
		return withCode(codeUsage, fmt.Errorf("%s: hooks.install is missing: --versions makes clusters without your driver", f.file))
	}
	all, err := certify.VersionRange(f.versions, findVersion(ctx, out))
	if err != nil {
		return err
	}
	f.Cluster = cmp.Or(f.Cluster, "certify")
	p, stop := f.complete(out, d)
	defer stop()
	p.Clusters = providers.NewClusters(progress.New(out))
	results, err := certify.EachVersion(out, reports.Dir(f.Run.ReportDir), all, func(v versions.Version, dir string) (schema.Certificate, error) {
		o := f.Options
		o.Run.ReportDir = dir
		return certify.OnVersion(ctx, p, o, v)
	})
	return errors.Join(err, versionsError(out, results))
}

// versionsError prints the verdict per version and returns the worst error.
func versionsError(out io.Writer, results []certify.VersionResult) error {
	var errs []error
	for _, r := range results {
		line := r.Version.Kubernetes + ": " + r.Verdict()
		if err := certifyError(r.Certificate, r.Err); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.Version.Kubernetes, err))
			reason, _, _ := strings.Cut(err.Error(), "\n")
			line += ": " + reason
		}
		_, _ = fmt.Fprintln(out, line)
	}
	return worst(errs)
}

// agentsAt returns agents for kubelets with a root directory declared by the vendor; empty for the
// default.
func agentsAt(images imageFlags, kubeletRoot string) testbed.Sim {
	agents := images.agents()
	agents.Config.KubeletRoot = kubeletRoot
	return agents
}

// certifyError maps the result of a certification to an exit code.
func certifyError(c schema.Certificate, err error) error {
	switch {
	case errors.Is(err, certify.ErrDeclaration), inUse(err):
		return withCode(codeUsage, err)
	case errors.Is(err, certify.ErrDriver):
		return withCode(codeCasesFailed, fmt.Errorf("not certified: %w", err))
	case c.Verdict == schema.DriverNotCertified:
		return withCode(codeCasesFailed, errors.Join(fmt.Errorf("not certified: %s", strings.Join(c.Failures, "; ")), err))
	case c.Verdict == schema.DriverIncomplete:
		return withCode(codeIncomplete, errors.Join(errors.New("incomplete: something that the declaration or the cluster asks for was not shown"), err))
	case errors.Is(err, certify.ErrNotThere):
		return withCode(codeEnvironment, err)
	default:
		return err
	}
}

func newCertifyInitCommand() *cobra.Command {
	var c testbed.Config
	var driver, cluster string
	cmd := &cobra.Command{
		Use:   "init --driver NAME (--kubeconfig FILE | --name CLUSTER)",
		Short: "Write the declaration of a driver in a cluster",
		Args:  usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if driver == "" {
				return withCode(codeUsage, errors.New("name the DRA driver with --driver: it is spec.driver of its ResourceSlices"))
			}
			if err := findCertifyTarget(&c, cluster); err != nil {
				return err
			}
			b, err := testbed.Open(cmd.Context(), parts().Parts, c)
			if err != nil {
				return err
			}
			target, err := probe.Target(cmd.Context(), b.REST)
			if err != nil {
				return err
			}
			text, err := certify.Init(cmd.Context(), b.Client, driver, target.Workers())
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	addCertifyTarget(cmd.Flags(), &c, &cluster)
	cmd.Flags().StringVar(&driver, "driver", "", "name of the DRA driver")
	return cmd
}
