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
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/drivers/sim/mutants"
	"github.com/dra-conformance/dratest/framework/spec"
)

// testDriver is the only shipped driver without a prebuilt image.
const testDriver = "test-driver"

func newCertifyInstallCommand() *cobra.Command {
	var previous bool
	var mutant string
	cmd := shippedCommand("install", "Install a driver shipped with dratest: "+strings.Join(declarations.ShippedNames(), ", "),
		func(ctx context.Context, p *progress.Printer, machines []clusters.Machine, d declarations.Driver) error {
			manifests, err := loadImage(ctx, p, machines, d)
			if err != nil {
				return err
			}
			if manifests, err = withArguments(d, manifests, previous, mutant); err != nil {
				return err
			}
			if err := kubectl(ctx, machines, manifests, "apply", "-f", "-"); err != nil {
				return err
			}
			namespace, name, _ := strings.Cut(d.Declaration.Deploy.DaemonSet, "/")
			return kubectl(ctx, machines, nil, "rollout", "status", "daemonset", name, "--namespace", namespace, "--timeout=90s")
		})
	cmd.Flags().BoolVar(&previous, "previous", false, "install, or downgrade to, the previous version of the driver (dra-sim)")
	cmd.Flags().StringVar(&mutant, "bug", os.Getenv(mutantVariable), "install the driver with a bug listed by \"dra-sim driver --help\" (dra-sim)")
	return cmd
}

// mutantVariable is the bug for hooks reinstalling dra-sim.
const mutantVariable = "DRA_SIM_BUG"

// withArguments adds arguments to manifests of a shipped driver.
func withArguments(d declarations.Driver, manifests []byte, previous bool, mutant string) ([]byte, error) {
	if !previous && mutant == "" {
		return manifests, nil
	}
	const last = "--shared=false"
	if !bytes.Contains(manifests, []byte(last)) {
		return nil, withCode(codeUsage, fmt.Errorf("driver %s has neither a previous version nor bugs here: dra-sim has", d.Name))
	}
	if _, err := mutants.Find(mutant); err != nil {
		return nil, withCode(codeUsage, err)
	}
	return bytes.ReplaceAll(manifests, []byte(last), fmt.Appendf(nil, "%s, --previous=%t, --bug=%s", last, previous, mutant)), nil
}

func newCertifyUninstallCommand() *cobra.Command {
	return shippedCommand("uninstall", "Remove an installed driver", func(ctx context.Context, _ *progress.Printer, machines []clusters.Machine, d declarations.Driver) error {
		return kubectl(ctx, machines, d.Manifests, "delete", "--ignore-not-found", "--wait", "--timeout=90s", "-f", "-")
	})
}

func shippedCommand(use, short string, do func(context.Context, *progress.Printer, []clusters.Machine, declarations.Driver) error) *cobra.Command {
	var cluster string
	cmd := &cobra.Command{
		Use:   use + " DRIVER",
		Short: short,
		Args:  usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := declarations.Shipped(args[0])
			if err != nil {
				return withCode(codeUsage, err)
			}
			p := progress.New(cmd.ErrOrStderr())
			machines, err := providers.NewClusters(p).Machines(cmd.Context(), cluster)
			if err != nil {
				return err
			}
			return p.Step(use+" driver "+d.Name, 0, func() error { return do(cmd.Context(), p, machines, d) })
		},
	}
	cmd.Flags().StringVar(&cluster, "name", envOr(spec.HookCluster, clusters.DefaultName), "name of a cluster created by dratest (default: $"+spec.HookCluster+")")
	return cmd
}

func envOr(variable, otherwise string) string {
	if value := os.Getenv(variable); value != "" {
		return value
	}
	return otherwise
}

// loadImage loads the driver's image into all nodes and returns manifests with its name. Nothing is
// pulled.
func loadImage(ctx context.Context, p *progress.Printer, machines []clusters.Machine, d declarations.Driver) ([]byte, error) {
	if d.Name != testDriver {
		return d.Manifests, nil // preloaded in dratest's node images
	}
	image, err := images.TestDriver(ctx, images.Options{Progress: p})
	if err != nil {
		return nil, err
	}
	for _, m := range machines {
		if _, err := m.Load(ctx, image); err != nil {
			return nil, err
		}
	}
	return bytes.ReplaceAll(d.Manifests, []byte(images.TestDriverRepository+":1"), []byte(image.Ref)), nil
}

// kubectl runs on a control-plane node with admin rights.
func kubectl(ctx context.Context, machines []clusters.Machine, input []byte, args ...string) error {
	for _, m := range machines {
		if !strings.HasSuffix(m.String(), "-control-plane") {
			continue
		}
		var in io.Reader
		if input != nil {
			in = bytes.NewReader(input)
		}
		_, err := m.Run(ctx, in, append([]string{"kubectl", "--kubeconfig=/etc/kubernetes/admin.conf"}, args...)...)
		if err != nil {
			return fmt.Errorf("%s: %w", strings.Join(args[:2], " "), err)
		}
		return nil
	}
	return errors.New("the cluster has no node of the control plane")
}
