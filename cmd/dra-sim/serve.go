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
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/drivers/sim"
	"github.com/dra-conformance/dratest/framework/agentapi"
)

// closing bounds the removal of all instances at shutdown, below the pod's grace period.
const closing = 8 * time.Second

// At startup an agent polls for its node. Each request has a short timeout because the first packets
// can be lost.
const (
	nodeInterval = 300 * time.Millisecond
	nodePatience = time.Minute
	nodeLook     = 3 * time.Second
)

func listenAddress() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(agentapi.Port))
}

func newServeCommand() *cobra.Command {
	var config sim.Config
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Host driver instances on this node until SIGTERM",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), config) },
	}
	addNodeFlags(cmd.Flags(), &config)
	return cmd
}

// addNodeFlags adds the flags locating a driver and its node.
func addNodeFlags(flags *pflag.FlagSet, config *sim.Config) {
	flags.StringVar(&config.NodeName, "node", os.Getenv("NODE_NAME"), "name of this node (default: $NODE_NAME)")
	flags.StringVar(&config.KubeletRoot, "kubelet-root", "/var/lib/kubelet", "root directory of the kubelet")
	flags.StringVar(&config.CDIDir, "cdi-dir", "/var/run/cdi", "directory of CDI specs")
}

func serve(ctx context.Context, config sim.Config) error {
	client, err := inClusterClient()
	if err != nil {
		return err
	}
	if config.REST, err = rest.InClusterConfig(); err != nil {
		return fmt.Errorf("find the API server from inside of a pod: %w", err)
	}
	node, err := getNode(ctx, client, config.NodeName)
	if err != nil {
		return err
	}
	config.Client, config.NodeUID = client, node.UID
	agent, err := sim.New(ctx, config)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listenAddress())
	if err != nil {
		return fmt.Errorf("open control endpoint: %w", err)
	}
	server := agent.Server()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	klog.FromContext(ctx).Info("Agent is ready", "node", config.NodeName, "protocol", agentapi.Version)
	select {
	case <-ctx.Done():
	case err := <-failed:
		return fmt.Errorf("serve control endpoint: %w", err)
	}
	closeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	server.Stop()
	return agent.Close(closeCtx)
}

// getNode waits for the API server: after a node restart, pods start before kube-proxy has set up
// service addresses, and an agent exiting with an error would be in crash-loop backoff.
func getNode(ctx context.Context, client kubernetes.Interface, name string) (*corev1.Node, error) {
	var node *corev1.Node
	var last error
	err := wait.PollUntilContextTimeout(ctx, nodeInterval, nodePatience, true, func(ctx context.Context) (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, nodeLook)
		defer cancel()
		node, last = client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		return last == nil, nil
	})
	if err != nil {
		return nil, fmt.Errorf("get node %q: %w", name, cmp.Or(last, err))
	}
	return node, nil
}

func inClusterClient() (*kubernetes.Clientset, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("find the API server from inside of a pod: %w", err)
	}
	return clientOf(config)
}
