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
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/gather"
	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// secondLook is the delay before the second audit of a cluster: enough for controllers to clean up.
const secondLook = 10 * time.Second

// requestTime bounds each request, to report an unresponsive API server.
const requestTime = time.Minute

// gatherTime limits the collection: if the API server stops responding, each of thousands of requests would time out.
const gatherTime = 30 * time.Minute

// closing bounds the cleanup.
const closing = 30 * time.Second

// gatherFlags are the flags of "dratest gather".
type gatherFlags struct {
	kubeconfig, context, out, image string
	since                           time.Duration
	nodePods                        bool
}

func newGatherCommand() *cobra.Command {
	var f gatherFlags
	cmd := &cobra.Command{
		Use:   "gather",
		Short: "Collect DRA diagnostics from any cluster",
		Long: `Collect DRA diagnostics (must-gather) from any cluster into an archive or directory:
slices, claims, templates, classes, taint rules, pods with claims, nodes and events;
logs of schedulers, controllers and driver pods; DRA metrics; from nodes the logs of
kubelet and containerd, kubelet checkpoints, CDI specs and the list of plugin
sockets; and the result of an audit of claims, devices and pods. index.md lists what
was collected and what could not be read.

Secrets and ConfigMaps are never read. Objects and CDI specs are collected without
values of environment variables, commands, probes, annotations, opaque driver
parameters, device data, hook arguments and mount options. The values removed from
pods, if they have at least 8 characters, and credentials of known formats are also
removed from all files. Logs can still contain other secrets: docs/troubleshooting.md
lists what is removed and what is not. Without permission to list all pods, no logs are
collected. The collection stops after 30 minutes.

Node state is read by dra-sim's agents if a run left them on the nodes. Otherwise
--node-pods starts a privileged pod on each node for a few seconds, in a namespace of
its own; its image (--agent-image) must be present or pullable. Without --node-pods
nothing in the cluster is changed.`,
		Example: `  dratest gather --kubeconfig ~/.kube/config
  dratest gather --kubeconfig ~/.kube/config --out evidence/ --since 15m --node-pods`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.kubeconfig == "" {
				return withCode(codeUsage, errors.New("kubeconfig: must be given: which cluster to read"))
			}
			if f.since <= 0 {
				return withCode(codeUsage, fmt.Errorf("since: %s: must be positive", f.since))
			}
			ctx, cancel := context.WithTimeoutCause(cmd.Context(), gatherTime, fmt.Errorf("timed out after %s", gatherTime))
			defer cancel()
			defer endOnNextSignal(ctx)()
			err := gatherFrom(ctx, cmd.OutOrStdout(), f)
			if err != nil && ctx.Err() != nil {
				return withCode(codeIncomplete, fmt.Errorf("interrupted: %w", err))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster")
	cmd.Flags().StringVar(&f.context, "context", "", "kubeconfig context (default: current-context)")
	cmd.Flags().StringVar(&f.out, "out", "", "output archive (.tar.gz) or directory (default: dra-evidence-TIME.tar.gz)")
	cmd.Flags().DurationVar(&f.since, "since", time.Hour, "collect logs newer than this duration")
	cmd.Flags().BoolVar(&f.nodePods, "node-pods", false, "start a privileged pod on each node without a dra-sim agent, for a few seconds, to read its state")
	cmd.Flags().StringVar(&f.image, "agent-image", "", "image with dra-sim for --node-pods (default: preloaded in dratest's node images)")
	return cmd
}

func gatherFrom(ctx context.Context, out io.Writer, f gatherFlags) (err error) {
	config, err := testbed.ClientConfig(f.kubeconfig, f.context)
	if err != nil {
		return withCode(codeUsage, err)
	}
	bounded := rest.CopyConfig(config)
	bounded.Timeout = requestTime
	client, err := kube.NewForConfig(bounded)
	if err != nil {
		return err
	}
	web, err := kube.HTTPClientFor(bounded)
	if err != nil {
		return err
	}
	objects, err := dynamic.NewForConfigAndClient(bounded, web)
	if err != nil {
		return err
	}
	if _, err := discovery.ToDiscoveryInterfaceWithContext(client.Discovery()).ServerVersionWithContext(ctx); err != nil {
		return withCode(codeEnvironment, fmt.Errorf("ask the API server for its version: %w", err))
	}
	now := time.Now()
	if f.out == "" {
		f.out = "dra-evidence-" + now.UTC().Format("20060102-150405") + ".tar.gz"
	}
	sink, err := gather.NewSink(f.out, now)
	if err != nil {
		return withCode(codeUsage, err)
	}
	nodes, err := testbed.OpenNodeFiles(ctx, config, simAgents(f.image).Config, f.nodePods)
	if nodes != nil {
		defer func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
			defer cancel()
			err = errors.Join(err, nodes.Close(ctx))
		}()
	}
	if err != nil {
		return errors.Join(err, sink.Close())
	}
	result, err := gather.Gather(ctx, gather.Config{
		Client: client, Dynamic: objects, Nodes: nodes, Since: now.Add(-f.since), Again: secondLook,
		Raw: func(ctx context.Context, path string) ([]byte, error) {
			return client.CoreV1().RESTClient().Get().AbsPath(path).DoRaw(ctx)
		},
		Say: func(format string, args ...any) { _, _ = fmt.Fprintf(out, "  .. "+format+"\n", args...) },
	}, sink)
	if err = errors.Join(err, sink.Close()); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %s has what was read by then", context.Cause(ctx), f.out)
	}
	for _, v := range result.Violations {
		_, _ = fmt.Fprintf(out, "found: %s\n", spec.Printable(v.String()))
	}
	_, err = fmt.Fprintf(out, "%s: %d files, %d findings, %d things could not be read; start with %s\n",
		f.out, len(result.Files), len(result.Violations), len(result.Missing), gather.IndexFile)
	return err
}
