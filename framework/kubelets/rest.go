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

package kubelets

import (
	"context"
	"fmt"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/metrics"
)

// restTime is the duration without changes.
const restTime = time.Minute

// schema is the name of the FlowSchema used for counting the kubelet's requests.
func (k kubelet) schema() string { return "compare-" + k.node }

// countRequests creates a FlowSchema for the kubelet's requests to resource.k8s.io: other API server
// metrics do not identify clients, and kubelets have no metric by resource. Watches do not count:
// kubelets need them to notice changes.
func (k kubelet) countRequests(ctx context.Context) error {
	schema := &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: k.schema()}}
	schema.Spec.PriorityLevelConfiguration.Name = "system" // the default for kubelets
	schema.Spec.MatchingPrecedence = 100                   // before those of Kubernetes for nodes
	schema.Spec.Rules = []flowcontrolv1.PolicyRulesWithSubjects{{
		Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: "system:node:" + k.node}}},
		ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
			Verbs:        []string{"get", "list", "create", "update", "patch", "delete", "deletecollection"},
			APIGroups:    []string{resourceapi.GroupName},
			Resources:    []string{flowcontrolv1.ResourceAll},
			Namespaces:   []string{flowcontrolv1.NamespaceEvery},
			ClusterScope: true,
		}},
	}}
	_, err := k.client.FlowcontrolV1().FlowSchemas().Create(ctx, schema, metav1.CreateOptions{})
	return err
}

// rest is the number of requests by each kubelet in an idle period.
type rest struct{ stock, own float64 }

// differences returns a line if our kubelet sent requests.
func (r rest) differences() []string {
	if r.own == 0 {
		return nil
	}
	return []string{fmt.Sprintf("requests to resource.k8s.io in %s at rest: stock %.0f, own %.0f, should be 0: its DRA manager asks although nothing has changed",
		restTime, r.stock, r.own)}
}

// atRest counts requests while pods with claims run and nothing changes.
func (p pair) atRest(ctx context.Context) (r rest, err error) {
	before, err := p.requests(ctx)
	if err != nil {
		return r, err
	}
	if before.stock == 0 || before.own == 0 {
		return r, fmt.Errorf("no requests were counted although pods with claims were started: stock %.0f, own %.0f", before.stock, before.own)
	}
	select {
	case <-ctx.Done():
		return r, ctx.Err()
	case <-time.After(restTime):
	}
	after, err := p.requests(ctx)
	return rest{stock: after.stock - before.stock, own: after.own - before.own}, err
}

// requests returns the API server's request counts of both kubelets.
func (p pair) requests(ctx context.Context) (rest, error) {
	found, err := metrics.APIServer(ctx, p.stock.client)
	if err != nil {
		return rest{}, err
	}
	return rest{stock: metrics.Dispatched(found, p.stock.schema()), own: metrics.Dispatched(found, p.own.schema())}, nil
}
