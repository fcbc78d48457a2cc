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

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/kubelets"
)

func newClusterCompareCommand() *cobra.Command {
	var o kubelets.Options
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Compare this project's kubelet with Kubernetes' on two nodes of a new cluster",
		Long: `Create a cluster with this project's kubelet on one node and Kubernetes' on the
other, run the same pods with claims on both, and compare configuration, flags,
node status and metrics. This project's kubelet must send no request to
resource.k8s.io while nothing changes. The cluster is deleted at the end.

Exit codes: 0 the kubelets are the same; 1 they differ.`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			defer endOnNextSignal(cmd.Context())()
			o.Out, o.Progress = cmd.OutOrStdout(), cmd.ErrOrStderr()
			o.Clusters, o.Agents = providers.NewClusters(progress.New(o.Progress)), simAgents("")
			same, err := kubelets.Compare(cmd.Context(), o)
			if err == nil && !same {
				err = withCode(codeCasesFailed, errors.New("the kubelets differ"))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&o.Name, "name", "dratest-compare", "name of the cluster")
	cmd.Flags().StringVar(&o.Logs, "logs", "", "directory for the cluster's logs if the kubelets differ")
	return cmd
}
