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
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
	"github.com/dra-conformance/dratest/drivers/sim/evidence"
	"github.com/dra-conformance/dratest/framework/agentapi"
)

// newEvidenceCommand returns the command of pods started to read their node once (deploy.NodePods).
func newEvidenceCommand() *cobra.Command {
	var node evidence.Node
	var cdi, since string
	cmd := &cobra.Command{
		Use:   "evidence",
		Short: "Print what lies on this node, and end",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			start, err := time.Parse(time.RFC3339, since)
			if err != nil {
				return fmt.Errorf("since: %w", err)
			}
			node.CDI = nodefiles.CDIDirs{{Path: nodefiles.CDIStatic, Seen: filepath.Join(node.Root, nodefiles.CDIStatic)}, {Path: nodefiles.CDIDynamic, Seen: cdi}}
			files, missing := evidence.Collect(cmd.Context(), node, start)
			line, err := evidence.Pack(&agentapi.Evidence{Files: files, Missing: missing})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), line)
			return err
		},
	}
	cmd.Flags().StringVar(&node.Root, "root", "/proc/1/root", "where the node's root file system can be seen")
	cmd.Flags().StringVar(&node.KubeletRoot, "kubelet-root", "/var/lib/kubelet", "root directory of the kubelet, as the node sees it")
	// Not /var/run: as a link, it resolves to a different directory here.
	cmd.Flags().StringVar(&cdi, "cdi-dir", "/proc/1/root/run/cdi", "directory of CDI specs, besides /etc/cdi of the node's root")
	cmd.Flags().StringVar(&since, "since", "", "time at which logs begin (RFC 3339)")
	return cmd
}
