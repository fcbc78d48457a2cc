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

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters"
)

// loader is a provider able to load images into nodes.
type loader interface {
	Load(ctx context.Context, name, image string) error
}

func newClusterLoadCommand(t *target) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "load IMAGE...",
		Short: "Load images into all nodes of a cluster created by dratest",
		Long: `Load images of the local container engine, or archives written by "docker save",
into all nodes of a cluster created by dratest, for example the image of the driver
under test. Pods use them without a registry if imagePullPolicy is not Always. An
image with the same name is replaced; restart pods that use it.`,
		Example: `  dratest cluster load example.com/my-driver:v1
  dratest cluster load my-driver.tar --name mine`,
		Args: usage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, ok := t.provider(cmd.ErrOrStderr()).(loader)
			if !ok {
				return withCode(codeUsage, errors.New("only clusters that dratest made can be given images: leave --kubeconfig and --context out and give --name"))
			}
			for _, image := range args {
				if err := p.Load(cmd.Context(), name, image); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "name", clusters.DefaultName, "name of the cluster")
	return cmd
}
