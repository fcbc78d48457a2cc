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

package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/metrics"
)

// The FlowSchemas for counting requests: the API server's other metrics do not show the client. Watches and leases
// are separate.
const apartSchema, schedulerSchema, driverSchema = "perf-classic-apart", "perf-classic-scheduler", "perf-classic-driver"

// countRequests makes the API server count requests of scheduler and driver. Each request goes to the first matching
// FlowSchema; levels are those without ours.
func (b *bench) countRequests(ctx context.Context) error {
	scheduler, driver := user(schedulerUser), user(driverUser)
	apart := flowcontrolv1.PolicyRulesWithSubjects{
		Subjects:      []flowcontrolv1.Subject{scheduler, driver},
		ResourceRules: []flowcontrolv1.ResourcePolicyRule{resources("watch", flowcontrolv1.APIGroupAll, flowcontrolv1.ResourceAll), resources(flowcontrolv1.VerbAll, "coordination.k8s.io", "leases")},
	}
	all := func(subject flowcontrolv1.Subject) flowcontrolv1.PolicyRulesWithSubjects {
		return flowcontrolv1.PolicyRulesWithSubjects{
			Subjects:         []flowcontrolv1.Subject{subject},
			ResourceRules:    []flowcontrolv1.ResourcePolicyRule{resources(flowcontrolv1.VerbAll, flowcontrolv1.APIGroupAll, flowcontrolv1.ResourceAll)},
			NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{flowcontrolv1.VerbAll}, NonResourceURLs: []string{flowcontrolv1.NonResourceAll}}},
		}
	}
	return errors.Join(
		b.createSchema(ctx, apartSchema, 99, "workload-high", apart),
		b.createSchema(ctx, schedulerSchema, 100, "workload-high", all(scheduler)),
		b.createSchema(ctx, driverSchema, 100, "workload-low", all(driver)))
}

func user(name string) flowcontrolv1.Subject {
	return flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: name}}
}

func resources(verb, group, resource string) flowcontrolv1.ResourcePolicyRule {
	return flowcontrolv1.ResourcePolicyRule{
		Verbs: []string{verb}, APIGroups: []string{group}, Resources: []string{resource}, Namespaces: []string{flowcontrolv1.NamespaceEvery}, ClusterScope: true,
	}
}

func (b *bench) createSchema(ctx context.Context, name string, precedence int32, level string, rules flowcontrolv1.PolicyRulesWithSubjects) error {
	schema := &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: name}}
	schema.Spec.PriorityLevelConfiguration.Name, schema.Spec.MatchingPrecedence = level, precedence
	schema.Spec.Rules = []flowcontrolv1.PolicyRulesWithSubjects{rules}
	if _, err := b.client.FlowcontrolV1().FlowSchemas().Create(ctx, schema, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("have requests counted: %w", err)
	}
	return nil
}

// requested is the API server's count so far.
func (b *bench) requested(ctx context.Context) (requests, error) {
	found, err := metrics.APIServer(ctx, b.client)
	return requests{metrics.Dispatched(found, schedulerSchema), metrics.Dispatched(found, driverSchema)}, err
}

// requests are those of scheduler and driver to the API server, without watches and leases.
type requests struct{ scheduler, driver float64 }

func (r requests) minus(other requests) requests {
	return requests{r.scheduler - other.scheduler, r.driver - other.driver}
}

func (r requests) String() string {
	return fmt.Sprintf("scheduler %.0f, driver %.0f", r.scheduler, r.driver)
}

const (
	// calm is the idle time required before a measurement at rest; unrest bounds the wait for it.
	calm, unrest = 10 * time.Second, 2 * time.Minute
)

// atRest counts requests while nothing changes.
func (b *bench) atRest(ctx context.Context) (requests, error) {
	before, err := b.requested(ctx)
	for began := time.Now(); err == nil && time.Since(began) < unrest; {
		last := before
		if err = pause(ctx, calm); err == nil {
			before, err = b.requested(ctx)
		}
		if before == last {
			break
		}
	}
	if err == nil {
		err = pause(ctx, rest)
	}
	if err != nil {
		return requests{}, err
	}
	after, err := b.requested(ctx)
	return after.minus(before), err
}

// settled waits until the labels of nodes do not change any more, as they do after the start of controllers. Each
// such change makes pending pods retry, so the cluster is not idle.
func (b *bench) settled(ctx context.Context) error {
	before, err := b.nodeLabels(ctx)
	for began := time.Now(); err == nil; {
		last := before
		if err = pause(ctx, calm); err == nil {
			before, err = b.nodeLabels(ctx)
		}
		if err == nil && apiequality.Semantic.DeepEqual(last, before) {
			return nil
		}
		if err == nil && time.Since(began) > unrest {
			return fmt.Errorf("the labels of nodes change still after %s", unrest)
		}
	}
	return err
}

func (b *bench) nodeLabels(ctx context.Context) (map[string]map[string]string, error) {
	nodes, err := b.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	labels := map[string]map[string]string{}
	for i := range nodes.Items {
		labels[nodes.Items[i].Name] = nodes.Items[i].Labels
	}
	return labels, nil
}

func pause(ctx context.Context, duration time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(duration):
		return nil
	}
}
