package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/drivers/sim/evidence"
	"github.com/dra-conformance/dratest/drivers/sim/protocol"
)

// newEvidenceCommand is for pods that only read their node and end (deploy.NodePods).
func newEvidenceCommand() *cobra.Command {
	var node evidence.Node
	var since string
	cmd := &cobra.Command{
		Use:   "evidence",
		Short: "Print what lies on this node, and end",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			start, err := time.Parse(time.RFC3339, since)
			if err != nil {
				return fmt.Errorf("since: %w", err)
			}
			files, missing := evidence.Collect(cmd.Context(), node, start)
			line, err := protocol.Pack(protocol.Evidence{Files: files, Missing: missing})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), line)
			return err
		},
	}
	cmd.Flags().StringVar(&node.Root, "root", "/proc/1/root", "where the node's root file system can be seen")
	cmd.Flags().StringVar(&node.KubeletRoot, "kubelet-root", "/var/lib/kubelet", "root directory of the kubelet, as the node sees it")
	// Not /var/run: that is a link, which leads elsewhere from here.
	cmd.Flags().StringVar(&node.CDIDir, "cdi-dir", "/proc/1/root/run/cdi", "directory of CDI specs")
	cmd.Flags().StringVar(&since, "since", "", "time at which logs begin (RFC 3339)")
	return cmd
}
