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

package node

import (
	"context"
	"fmt"
	"maps"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

const (
	driver    = perf.DriverName
	namespace = metav1.NamespaceDefault
	// podImage is preloaded on nodes of dratest's clusters.
	podImage = spec.ImageBusybox
	// claims is the number of claims per measurement. With more than 1000 pods, events may be lost.
	claims = 1000
	// patience bounds each wait; 200 pods take about a minute.
	patience = 10 * time.Minute
	// early and late are claim templates; late is created last.
	early, late = "early", "late"
)

// Scenario measures pods with a claim each on the worker node of a container cluster.
func Scenario(agents testbed.Agents) perf.Scenario {
	return perf.Scenario{
		Agents: agents, Blocks: 6, Prepare: prepare,
		Cluster: func(c *clusters.Config) error {
			c.Provider, c.Nodes, c.Workers, c.Programs = clusters.ProviderKind, 0, ptr.To(1), nil
			// Otherwise client-side rate limiting would be measured instead of the controllers.
			c.ComponentArgs = map[string]map[string]string{"controller-manager": {"kube-api-qps": "2000", "kube-api-burst": "4000"}}
			return nil
		},
	}
}

// bench is a cluster with devices on its worker node.
type bench struct {
	client kubernetes.Interface
	agents agentapi.AgentClient
	pods   *perf.PodTimes
	node   string
	config spec.DriverConfig
	// number is the number of pods on the node.
	number, rounds int
}

func prepare(ctx context.Context, s perf.Site) (perf.Measure, error) {
	b := &bench{client: s.Client, node: s.Cluster + "-worker", number: s.Pods}
	if err := s.Install(ctx, []string{b.node}); err != nil {
		return nil, err
	}
	var err error
	if b.agents, err = s.Agents(ctx); err != nil {
		return nil, err
	}
	pool := spec.Pool{}
	for i := range b.number + 1 { // one more for the pod after the restart
		pool.Devices = append(pool.Devices, resourceapi.Device{Name: fmt.Sprintf("device-%d", i)})
	}
	b.config = spec.DriverConfig{Name: driver, Profile: spec.Profile{Name: "perf", Pools: []spec.Pool{pool}}}
	if err := agentapi.Start(ctx, b.agents, b.node, b.config); err != nil {
		return nil, err
	}
	if _, err := b.client.ResourceV1().DeviceClasses().Create(ctx, objects.Class(perf.ClassName, driver), metav1.CreateOptions{}); err != nil {
		return nil, fmt.Errorf("create class: %w", err)
	}
	if err := b.createTemplate(ctx, early); err != nil {
		return nil, err
	}
	watching, stop := context.WithCancel(ctx)
	s.Later(func(context.Context) error { stop(); return nil })
	if b.pods, err = perf.WatchPods(watching, s.Client.CoreV1().RESTClient(), namespace); err != nil {
		return nil, err
	}
	_, err = b.arriving(ctx, 100) // warm-up
	return b.round, err
}

func (b *bench) round(ctx context.Context) (map[perf.Metric]float64, error) {
	b.rounds++
	values, err := b.kubelet(ctx)
	if err != nil {
		return nil, fmt.Errorf("measure the kubelet: %w", err)
	}
	more, err := b.controllers(ctx)
	if err != nil {
		return nil, fmt.Errorf("measure the controllers: %w", err)
	}
	maps.Copy(values, more)
	return values, nil
}

func (b *bench) createTemplate(ctx context.Context, name string) error {
	template := objects.Template(name, objects.Claim("", objects.Request("request", perf.ClassName)))
	if _, err := b.client.ResourceV1().ResourceClaimTemplates(namespace).Create(ctx, template, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create template %s: %w", name, err)
	}
	return nil
}

// clear deletes all pods and waits until their claims are gone.
func (b *bench) clear(ctx context.Context) error {
	if err := b.client.CoreV1().Pods(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("remove pods: %w", err)
	}
	left := 0
	err := wait.PollUntilContextTimeout(ctx, time.Second, patience, true, func(ctx context.Context) (bool, error) {
		claims, err := b.client.ResourceV1().ResourceClaims(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		left = len(claims.Items)
		return left == 0 && b.pods.Count(func(perf.SeenPod) bool { return true }) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("wait until pods and claims are gone, %d claims are left: %w", left, err)
	}
	return nil
}
