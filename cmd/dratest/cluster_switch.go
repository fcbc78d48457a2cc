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
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/kubelets"
)

func newClusterSwitchCommand(t *target) *cobra.Command {
	var flags stackFlags
	var name string
	var nodes []string
	var measure bool
	cmd := &cobra.Command{
		Use:   "switch",
		Short: "Switch components of a running cluster between stock and own",
		Long: `Replace Kubernetes' components of a running cluster created by dratest by dratest's
own, or the other way round. Workloads and cases can keep running; pods survive the
replacement of their kubelet. The command returns when the new component is healthy
and the old one is gone, and prints how long neither was available. If the new
component does not become healthy, the old one is restored. After Ctrl-C either the
old or the new component is running.

A starting kubelet, stock or own, deletes the ResourceSlices of its node until the
drivers publish them again: some at once, those that use the publishing helper after
30 s. --measure starts a test driver of each kind and measures the gap.`,
		Example: `  dratest cluster switch --name dratest --scheduler=own
  dratest cluster switch --name dratest --kubelet=own --node=worker2
  dratest cluster switch --name dratest --kubelet=own --measure
  dratest cluster switch --name dratest --stack=stock`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			to, err := flags.over(clusters.Stack{})
			if err != nil {
				return err
			}
			if len(nodes) > 0 {
				to.KubeletNodes = nodes
			}
			if err := to.Validate(); err != nil {
				return withCode(codeUsage, err)
			}
			if to.IsZero() {
				return withCode(codeUsage, errors.New("say what to switch to, as in --scheduler=own"))
			}
			p, ok := t.provider(cmd.ErrOrStderr()).(clusters.Switcher)
			if !ok {
				return withCode(codeUsage, errors.New("only clusters that dratest made can be switched: leave --kubeconfig and --context out and give --name"))
			}
			if measure && to.Kubelet == "" {
				return withCode(codeUsage, errors.New("measure: devices are away only while a kubelet is switched: give --kubelet"))
			}
			if !measure {
				done, err := p.Switch(cmd.Context(), name, to)
				return errors.Join(printSwitched(cmd.OutOrStdout(), done), err)
			}
			k, ok := p.(kubelets.Switcher)
			if !ok {
				return withCode(codeUsage, errors.New("measure: this provider's clusters run no drivers"))
			}
			m, err := kubelets.Switch(cmd.Context(), k, simAgents(""), name, to)
			if err := errors.Join(printSwitched(cmd.OutOrStdout(), m.Done), err); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "no devices on %s: %s\n", strings.Join(m.Workers, ", "), m.Away)
			return err
		},
	}
	cmd.Flags().StringVar(&name, "name", clusters.DefaultName, "name of the cluster")
	cmd.Flags().StringSliceVar(&nodes, "node", nil, "switch only the kubelet of this node, with or without the cluster name prefix; repeatable")
	cmd.Flags().BoolVar(&measure, "measure", false, "measure how long drivers with and without the publishing helper had no devices; takes 30s longer and leaves the agents of the test driver on the nodes")
	flags.add(cmd.Flags())
	return cmd
}

func printSwitched(out io.Writer, done []clusters.Switched) error {
	for _, s := range done {
		text := fmt.Sprintf("%s on %s: %s -> %s, for %s at most neither worked", s.Component, s.Node, s.From, s.To, s.Downtime.Round(100*time.Millisecond))
		if s.Downtime == 0 {
			text = fmt.Sprintf("%s on %s: %s works already", s.Component, s.Node, s.To)
		}
		if _, err := fmt.Fprintln(out, text); err != nil {
			return err
		}
	}
	return nil
}
