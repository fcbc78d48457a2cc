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

package kubelet

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"google.golang.org/protobuf/types/known/durationpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/metrics"
)

// started is the metric with the start time of a kubelet.
const started = "process_start_time_seconds"

const (
	// rebootPatience bounds the reboot of a node.
	rebootPatience = 5 * time.Minute
	// requestTimeout bounds one request to a node that restarts. A connection that the node took
	// with it is not known to be dead for much longer.
	requestTimeout = 10 * time.Second
	// downTime is how long WhileDown stops a kubelet. A node becomes NotReady 50 s after its
	// kubelet has stopped, and 40 s before Kubernetes 1.32.
	downTime = 15 * time.Second
)

// Restart restarts the kubelet of a node and waits until the new one answers. The new kubelet may
// not have registered any driver yet.
func Restart(t *harness.T, node string) {
	ginkgo.GinkgoHelper()
	t.Step("restart the kubelet of %s", node)
	renew(t, node, await.Patience, func() error {
		_, err := t.Env().Agents.RestartKubelet(t.Context(), &agentapi.NodeRequest{Node: node})
		return err
	})
}

// LoseCheckpoint removes the kubelet's checkpoint of claims while the kubelet is stopped, and waits
// until the new one answers.
func LoseCheckpoint(t *harness.T, node string) {
	ginkgo.GinkgoHelper()
	t.Step("stop the kubelet of %s, remove its checkpoint of claims, and start it", node)
	blockWhereOthersHaveClaims(t, node)
	renew(t, node, await.Patience, func() error {
		_, err := t.Env().Agents.RemoveCheckpoint(t.Context(), &agentapi.NodeRequest{Node: node})
		return err
	})
}

// WhileDown stops the kubelet of a node for 15 s and calls do meanwhile. It waits until the new
// kubelet answers, and returns the start time of that by the clock of the node, give or take a
// second: what is earlier is of the old kubelet. Agents and drivers of the node cannot be reached
// meanwhile.
func WhileDown(t *harness.T, node string, do func()) time.Time {
	ginkgo.GinkgoHelper()
	t.Step("stop the kubelet of %s, and start it again %s later", node, downTime)
	return renew(t, node, downTime+await.Patience, func() error {
		if _, err := t.Env().Agents.StopKubelet(t.Context(), &agentapi.StopKubeletRequest{Node: node, Pause: durationpb.New(downTime)}); err != nil {
			return err
		}
		stopped := time.Now()
		t.Poll("the kubelet of "+node+" not to answer", func(ctx context.Context) (bool, string, error) {
			if _, err := metrics.Kubelet(ctx, t.Client, node); err != nil {
				return true, err.Error(), nil
			}
			return false, "it answers", nil
		})
		do()
		if took := time.Since(stopped); took > downTime {
			t.Blockedf("the actions while the kubelet of %s was down took %s", node, took)
		}
		return nil
	})
}

// RestartNode restarts a node and waits until its kubelet answers. Its containers start later. The
// simulated driver has to be started again (simdriver, StartAgain).
func RestartNode(t *harness.T, node string) {
	ginkgo.GinkgoHelper()
	t.Step("restart node %s", node)
	renew(t, node, rebootPatience, func() error {
		_, err := t.Env().Agents.Reboot(t.Context(), &agentapi.NodeRequest{Node: node})
		return err
	})
}

// renew does something that ends the kubelet of a node, and waits until the next one answers. It
// returns the start time of the new kubelet. All requests may fail as long as patience lasts.
func renew(t *harness.T, node string, patience time.Duration, do func() error) (since time.Time) {
	ginkgo.GinkgoHelper()
	before, _ := Metric(t, node, started, nil)
	t.NoError(do(), "restart the kubelet of %s", node)
	t.PollPatiently(fmt.Sprintf("the new kubelet of %s to answer", node), patience, func(ctx context.Context) (bool, string, error) {
		ctx, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		families, err := metrics.Kubelet(ctx, t.Client, node)
		if err != nil {
			return false, "", err
		}
		now, found := metrics.Value(families[started], nil)
		since = time.UnixMilli(int64(now * 1000))
		return found && now > before, fmt.Sprintf("a kubelet started at %.0f, the old one at %.0f", now, before), nil
	})
	return since
}

// blockWhereOthersHaveClaims ends the case if pods of others on a node have claims: a kubelet
// that does not remember them may never have them unprepared.
func blockWhereOthersHaveClaims(t *harness.T, node string) {
	ginkgo.GinkgoHelper()
	list, err := t.Client.CoreV1().Pods(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String()})
	t.NoError(err, "list the pods on %s", node)
	for _, p := range list.Items {
		if p.Namespace != t.Namespace && len(p.Spec.ResourceClaims) > 0 {
			t.Blockedf("pod %s/%s on %s has claims, and the kubelet would forget them", p.Namespace, p.Name, node)
		}
	}
}
