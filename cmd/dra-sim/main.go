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

// Command dra-sim is dratest's programmable test driver: an agent on each node hosts driver instances.
// dratest installs it as a DaemonSet.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/dra-conformance/dratest/framework/agentapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Verbosity(2)))
	klog.SetLogger(logger)
	err := newRootCommand().ExecuteContext(klog.NewContext(ctx, logger))
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "dra-sim: %v\n", err)
		os.Exit(1)
	}
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "dra-sim",
		Short:         "Programmable test driver for Kubernetes Dynamic Resource Allocation",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newServeCommand(), newDriverCommand(), newReadyCommand(), newEvidenceCommand())
	return root
}

// newReadyCommand is the DaemonSet's startup probe: kubelets cannot probe an endpoint on loopback.
func newReadyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "ready",
		Short: "Exit 0 if the agent of this pod takes requests",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			conn, err := grpc.NewClient(listenAddress(), grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				return fmt.Errorf("ask agent: %w", err)
			}
			defer func() { _ = conn.Close() }()
			if _, err := agentapi.NewAgentClient(conn).Ready(cmd.Context(), &emptypb.Empty{}); err != nil {
				return fmt.Errorf("ask agent: %w", err)
			}
			return nil
		},
	}
}
