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

	"github.com/onsi/ginkgo/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/metrics"
)

// Metric returns a gauge, a counter or the count of a histogram of the kubelet of a node: the sum
// over all series with these labels, and whether there are any.
func Metric(t *harness.T, node, name string, labels map[string]string) (value float64, found bool) {
	ginkgo.GinkgoHelper()
	t.Poll(fmt.Sprintf("metrics of the kubelet of %s", node), func(ctx context.Context) (bool, string, error) {
		families, err := metrics.Kubelet(ctx, t.Client, node)
		if err != nil {
			return false, "", err
		}
		value, found = metrics.Value(families[name], labels)
		if !found {
			return true, "no " + metrics.Describe(name, labels), nil
		}
		return true, fmt.Sprintf("%s is %g", metrics.Describe(name, labels), value), nil
	})
	return value, found
}

// Prepared returns the claims in the checkpoint of a node's kubelet.
func Prepared(t *harness.T, node string) []types.UID {
	ginkgo.GinkgoHelper()
	claims, err := agentapi.ReadPrepared(t.Context(), t.Env().Agents, node)
	t.NoError(err, "read the kubelet's checkpoint on %s", node)
	var uids []types.UID
	for _, c := range claims {
		uids = append(uids, c.ClaimUID)
	}
	return uids
}
