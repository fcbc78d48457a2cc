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

package harness

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/metrics"
)

const (
	// restartPatience is how long a wait goes on while every look fails because a node
	// restarts: it may be the one that answers all questions.
	restartPatience = 5 * time.Minute
	// lookTime bounds one look. A connection that a node took with it is not known to be
	// dead for much longer than that.
	lookTime = 5 * time.Second
)

// RestartNode restarts a node with all that runs on it. It returns once its kubelet
// answers. Pods are only about to be started then.
func (t *T) RestartNode(node string) {
	ginkgo.GinkgoHelper()
	t.Step("restart node %s", node)
	before, _ := t.KubeletMetric(node, kubeletStarted, nil)
	_, err := t.env.Agents.Reboot(t.ctx, &agentapi.NodeRequest{Node: node})
	t.NoError(err, "restart node %s", node)
	t.PollPatiently(fmt.Sprintf("the new kubelet of %s to answer", node), restartPatience, func(ctx context.Context) (bool, string, error) {
		ctx, cancel := context.WithTimeout(ctx, lookTime)
		defer cancel()
		families, err := metrics.Kubelet(ctx, t.Client, node)
		if err != nil {
			return false, "", err
		}
		now, found := metrics.Value(families[kubeletStarted], nil)
		return found && now > before, fmt.Sprintf("a kubelet that started at %.0f, the old one had at %.0f", now, before), nil
	})
}
