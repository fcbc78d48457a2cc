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
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/suites"
)

// certifyFlags are the flags of "dratest certify".
type certifyFlags struct {
	certifyTarget
	run.Options

	file       string
	agentImage string
	versions   string
	install    bool
	dryRun     bool
	list       bool
}

// certifyTarget names the cluster with the driver.
type certifyTarget struct{ kubeconfig, context, cluster string }

func (t *certifyTarget) add(flags *pflag.FlagSet) {
	flags.StringVar(&t.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster with the driver")
	flags.StringVar(&t.context, "context", "", "kubeconfig context (default: current-context)")
	flags.StringVar(&t.cluster, "name", "", "name of a cluster created by dratest, instead of --kubeconfig")
}

// path is that of the cluster's kubeconfig.
func (t certifyTarget) path() (string, error) {
	switch {
	case t.kubeconfig != "" && t.cluster != "", t.kubeconfig == "" && t.cluster == "":
		return "", withCode(codeUsage, errors.New("say which cluster has the driver, with --kubeconfig or, for one that dratest has made, with --name"))
	case t.cluster != "":
		return providers.NewClusters(&progress.Printer{}).Kubeconfig(t.cluster)
	default:
		return filepath.Abs(t.kubeconfig)
	}
}

func newCertifyCommand() *cobra.Command {
	var f certifyFlags
	cmd := &cobra.Command{
		Use:   "certify -f driver.yaml (--kubeconfig FILE | --name CLUSTER | --versions A..B)",
		Short: "Test the driver of a vendor, and say whether it is certified",
		Long: `Test the driver of a vendor, as it is installed in a cluster, and say whether it
is certified. driver.yaml declares the driver; "dratest certify init" writes one
from what it sees in a cluster.

Before anything runs a screen says what will, what will not and why, and how long
it takes. dratest makes namespaces, claims and pods of its own, puts a privileged
daemon set on the nodes, removes both, and touches nothing else.

Exit codes: 0 certified; 1 not certified; 2 wrong usage or declaration; 3 the
cluster is not as declared, so that nothing can be said; 4 incomplete.`,
		Example: `  dratest certify init --driver gpu.example.com --kubeconfig ~/.kube/config > driver.yaml
  dratest certify -f driver.yaml --kubeconfig ~/.kube/config --dry-run
  dratest certify -f driver.yaml --kubeconfig ~/.kube/config --disruptive --agent-image registry.example.com/dra-sim:1
  dratest certify -f driver.yaml --versions 1.34..1.37`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.list {
				return listCertify(cmd.OutOrStdout())
			}
			if f.versions != "" {
				return certifyVersions(cmd.Context(), cmd.OutOrStdout(), f)
			}
			return certifyDriver(cmd.Context(), cmd.OutOrStdout(), f)
		},
	}
	flags := cmd.Flags()
	f.add(flags)
	flags.StringVarP(&f.file, "file", "f", "", "driver declaration (driver.yaml)")
	flags.BoolVar(&f.install, "install", false, "run the declaration's install hook first and its uninstall hook last")
	flags.StringVar(&f.versions, "versions", "", "Kubernetes versions to certify for, for example 1.34..1.37 or 1.36,1.37; a cluster is created for each, instead of --kubeconfig, and the install hook run in it")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the plan without running anything")
	flags.BoolVar(&f.list, "list", false, "list the cases every driver must pass")
	flags.BoolVar(&f.Disruptive, "disruptive", false, "also run cases that restart kubelets; required for certification")
	flags.StringArrayVar(&f.Filter.Focus, "focus", nil, "run only cases whose ID matches this regular expression; the driver is not certified then")
	flags.IntVarP(&f.Parallel, "parallel", "p", 2, "number of cases to run in parallel, unless the declaration sets limits.serial")
	flags.DurationVar(&f.Timeout, "timeout", 0, "time limit for the whole run (default 1h)")
	flags.StringVar(&f.ReportDir, "report-dir", "", "output directory for reports, logs, evidence and the certificate (default: $ARTIFACTS or ./_artifacts)")
	flags.StringVar(&f.PodImage, "pod-image", podImage, "busybox image for pods, unless the declaration sets one")
	flags.StringVar(&f.agentImage, "agent-image", "", "image of dra-sim, whose agent reads node state (default: preloaded in dratest's node images)")
	cmd.AddCommand(newCertifyInitCommand(), newCertifyInstallCommand(), newCertifyUninstallCommand(), newCertifyBreakCommand(), newCertifyHealCommand())
	return cmd
}

func listCertify(out io.Writer) error {
	for _, c := range certify.Cases(suites.All()) {
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
	if f.Kubeconfig, err = f.path(); err != nil {
		return err
	}
	return certifyError(certifyIn(ctx, out, f, d))
}

// certifyIn certifies a driver in the cluster of f.Kubeconfig.
func certifyIn(ctx context.Context, out io.Writer, f certifyFlags, d declarations.Declaration) (schema.Certificate, error) {
	o := certify.Options{Declaration: d, Run: f.Options, Cluster: f.cluster, Install: f.install}
	if d.Limits.Serial {
		o.Run.Parallel = 1
	}
	if err := o.Run.Validate(); err != nil {
		return schema.Certificate{}, withCode(codeUsage, err)
	}
	signals, stop := notifySignals()
	defer stop()
	o.Run.Context, o.Run.Out, o.Run.Signals = f.context, out, signals
	o.Run.Driver = reports.DriverOf(d.Driver, "")
	p := parts()
	p.Agents = agentsAt(f.agentImage, d.Nodes.KubeletRoot)
	if f.dryRun {
		return schema.Certificate{Judgement: schema.Judgement{Verdict: schema.DriverCertified}}, certify.DryRun(ctx, p, o)
	}
	return certify.Run(ctx, p, o)
}

// agentsAt read nodes whose kubelets have a root directory that their vendor declares; empty
// for the default.
func agentsAt(image, kubeletRoot string) testbed.Sim {
	agents := simAgents(image)
	agents.Config.KubeletRoot = kubeletRoot
	return agents
}

// certifyError turns what a certification came to into the process's exit code.
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
	var t certifyTarget
	var driver string
	cmd := &cobra.Command{
		Use:   "init --driver NAME (--kubeconfig FILE | --name CLUSTER)",
		Short: "Write the declaration of a driver from what a cluster shows of it",
		Args:  usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if driver == "" {
				return withCode(codeUsage, errors.New("name the DRA driver with --driver: it is spec.driver of its ResourceSlices"))
			}
			kubeconfig, err := t.path()
			if err != nil {
				return err
			}
			b, err := testbed.Open(cmd.Context(), parts().Parts, testbed.Config{Kubeconfig: kubeconfig, Context: t.context})
			if err != nil {
				return err
			}
			if err := b.Look(cmd.Context()); err != nil {
				return err
			}
			text, err := certify.Init(cmd.Context(), b.Client, driver, b.Target.Workers())
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	t.add(cmd.Flags())
	cmd.Flags().StringVar(&driver, "driver", "", "name of the DRA driver")
	return cmd
}
