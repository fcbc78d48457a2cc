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
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/spec"
)

func newCertifyBreakCommand() *cobra.Command {
	return deviceCommand("break", "Break device $"+spec.HookDevice+" of node $"+spec.HookNode+" of a driver of dratest's own, as hook makeUnhealthy",
		func(file string) []string { return []string{"mkdir", "-p", file} })
}

func newCertifyHealCommand() *cobra.Command {
	return deviceCommand("heal", "Heal what break has broken, as hook heal", func(file string) []string { return []string{"rm", "-rf", file} })
}

// deviceCommand runs a command on the file marking a device as broken.
func deviceCommand(use, short string, do func(file string) []string) *cobra.Command {
	cmd := shippedCommand(use, short, func(ctx context.Context, _ *progress.Printer, machines []clusters.Machine, d declarations.Driver) error {
		node, device := os.Getenv(spec.HookNode), os.Getenv(spec.HookDevice)
		if node == "" || device == "" || strings.Contains(device, "/") {
			return withCode(codeUsage, fmt.Errorf("set $%s and $%s to the node and the name of the device", spec.HookNode, spec.HookDevice))
		}
		for _, m := range machines {
			if m.String() == node {
				_, err := m.Run(ctx, nil, do(path.Join("/var/lib/kubelet/plugins", d.Declaration.Driver, deploy.BrokenDir, device))...)
				return err
			}
		}
		return withCode(codeUsage, errors.New("the cluster has no node "+node))
	})
	cmd.Hidden = true // used by older declarations of dra-sim
	return cmd
}
