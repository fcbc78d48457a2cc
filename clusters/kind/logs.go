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

package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/kube"
)

// Logs writes the logs of a cluster's nodes into dir: one directory per node with the journal, kubelet.log,
// containerd.log and the logs of all pods, and versions.json. The error names missing ones.
func (p *Provider) Logs(ctx context.Context, name, dir string) error {
	s, err := p.parts()
	if err != nil {
		return err
	}
	if _, err := s.store.mustLoad(name); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write logs of cluster %q: %w", name, err)
	}
	return s.progress.Step(fmt.Sprintf("collect the logs of cluster %s", name), 0, func() error {
		versions := make(chan error, 1)
		go func() { versions <- s.versions(ctx, name, dir) }()
		logs := make(chan error, 1)
		go func() { logs <- s.maker.CollectLogs(name, dir) }() // takes no context
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-logs:
			if err := errors.Join(err, <-versions); err != nil {
				return fmt.Errorf("collect logs of cluster %q into %s: %w", name, dir, err)
			}
			return nil
		}
	})
}

func (s parts) versions(ctx context.Context, name, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", s.store.kubeconfig(name))
	if err != nil {
		return fmt.Errorf("read the kubeconfig: %w", err)
	}
	config.Timeout = 10 * time.Second
	client, err := kube.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	return clusters.WriteVersions(ctx, client, dir)
}
