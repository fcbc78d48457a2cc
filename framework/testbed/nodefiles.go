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

package testbed

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/drivers/sim/client"
	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/kube"
)

// NodeFiles reads files of nodes in any cluster: through dra-sim's agents where they run, else, if allowed, with a
// pod for each node.
type NodeFiles struct {
	agents *client.Client
	pods   *deploy.NodePods
	has    map[string]bool // nodes with an agent
}

// listTime bounds the search for agents, as an API server may be silent.
const listTime = time.Minute

// errNoAgent: nobody may read the node.
var errNoAgent = errors.New("no dra-sim runs on it, and pods that read nodes were not asked for (--node-pods)")

// OpenNodeFiles finds agents, and creates a namespace if pods are allowed. Call Close even after an error, unless
// nothing is returned.
func OpenNodeFiles(ctx context.Context, config *rest.Config, sim deploy.Config, pods bool) (*NodeFiles, error) {
	c, err := kube.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	f := &NodeFiles{has: map[string]bool{}}
	if f.agents, err = client.New(config); err != nil {
		return nil, err
	}
	listing, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	found, err := c.CoreV1().Pods(deploy.Namespace).List(listing, metav1.ListOptions{LabelSelector: deploy.LabelName + "=" + deploy.Name})
	if err != nil {
		return f, fmt.Errorf("look for agents of dra-sim: %w", err)
	}
	for _, p := range found.Items {
		if p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil {
			f.has[p.Spec.NodeName] = true
		}
	}
	if pods {
		f.pods, err = deploy.NewNodePods(ctx, c, sim)
	}
	return f, err
}

// Evidence returns files of a node by descriptive names; logs start at since. On an error, readable files are
// returned too.
func (f *NodeFiles) Evidence(ctx context.Context, node string, since time.Time) (map[string][]byte, error) {
	switch {
	case f.has[node]:
		return agentapi.ReadEvidence(ctx, f.agents, node, since)
	case f.pods != nil:
		return f.pods.Evidence(ctx, node, since)
	default:
		return nil, errNoAgent
	}
}

// Close removes everything it made.
func (f *NodeFiles) Close(ctx context.Context) error {
	f.agents.Close()
	if f.pods != nil {
		return f.pods.Close(ctx)
	}
	return nil
}
