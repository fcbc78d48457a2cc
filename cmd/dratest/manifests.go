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

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/clusters/images/suite"
	"github.com/dra-conformance/dratest/framework/run/job"
	"github.com/dra-conformance/dratest/reports"
)

// notInCluster lists the flags of "dratest run" useless in a Job: those for created clusters or local
// files, and those set by the manifests.
//
//nolint:gochecknoglobals // a table
var notInCluster = []string{
	"kubeconfig", "context", "in-cluster", "report-dir", "done-file", "resume", "rerun-failed", "matrix", "dry-run", "identity",
	"sign-key", "sign-keyless", "id-token", "signing-config", "trusted-root", "expectations", "image-registry",
	"name", "version", "image", "provider", "stack", "scheduler", "controllers", "kubelet", "node-image-source", "node-image-registry",
}

func newManifestsCommand() *cobra.Command {
	var c job.Config
	var registry string
	var sonobuoy bool
	cmd := &cobra.Command{
		Use:   "manifests [-- FLAGS OF dratest run]",
		Short: "Print manifests that run dratest in a cluster, or a Sonobuoy plugin",
		Long: `Print manifests that run dratest in a cluster: a namespace, a service account with
the least privileges a run needs, and a Job. Arguments after "--" are passed to
"dratest run" in the Job.

"dratest report fetch" waits for the run and downloads its report. The nodes need the
images listed by "dratest images list"; "make image" and "dratest images save" build
those of dratest and its test driver.

With --sonobuoy, print a plugin for "sonobuoy run --plugin FILE" instead. Its results
come from junit_01.xml, and the archive from "sonobuoy retrieve" has the whole report
in plugins/dratest. The plugin uses Sonobuoy's service account.`,
		Example: `  dratest manifests -- --focus '^core/' | kubectl apply -f -
  dratest report fetch results --kubeconfig ~/.kube/config
  dratest manifests --image-registry mirror.example.com/dra --sonobuoy > dratest.yaml`,
		Args: usage(inClusterArgs),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if c.Image == "" {
				if c.Image, err = suite.In(registry, suite.RunAt(reports.SuiteVersion().Version)); err != nil {
					return withCode(codeUsage, err)
				}
			}
			if registry != "" {
				c.Args = append(c.Args, "--image-registry="+registry)
			}
			c.Args = append(c.Args, args...)
			printed, err := job.Manifests(c)
			if sonobuoy {
				printed, err = job.Sonobuoy(c)
			}
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(printed)
			return err
		},
	}
	cmd.Flags().StringVarP(&c.Namespace, "namespace", "n", job.Name, "namespace to create for the Job")
	cmd.Flags().StringVar(&c.Image, "image", "", "dratest image (default: image of this version)")
	cmd.Flags().StringVar(&registry, "image-registry", "", registryUsage)
	cmd.Flags().BoolVar(&sonobuoy, "sonobuoy", false, "print a Sonobuoy plugin instead")
	return cmd
}

// inClusterArgs validates arguments of "dratest run" for a Job.
func inClusterArgs(cmd *cobra.Command, args []string) error {
	if dash := cmd.ArgsLenAtDash(); len(args) > 0 && dash != 0 {
		return fmt.Errorf("unknown argument %q: flags of dratest run come after --", args[0])
	}
	var f runFlags
	flags := pflag.NewFlagSet("dratest run", pflag.ContinueOnError)
	flags.Usage = func() {}
	f.add(flags)
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("the flags of dratest run: %w", err)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("the flags of dratest run: %q is none", flags.Arg(0))
	}
	for _, name := range notInCluster {
		if flags.Changed(name) {
			return fmt.Errorf("%s: cannot be given to a run in a cluster", name)
		}
	}
	f.InCluster = true
	return f.Validate()
}
