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
	"cmp"
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/drivers/sim/client"
	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/objects"
)

// readyTime bounds the start of agents with their image present.
const readyTime = 90 * time.Second

// Sim are dra-sim's agents; the zero value uses its default image.
type Sim struct{ Config deploy.Config }

var _ Agents = Sim{}

// WithTemplate merges the agents' pods with a pod spec; the agents' own fields take precedence.
func (s Sim) WithTemplate(template map[string]any) Sim {
	if len(template) > 0 {
		s.Config.Adapt = func(own corev1.PodSpec) (corev1.PodSpec, error) {
			merged, err := objects.Templated(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: deploy.Name}, Spec: own}, template)
			if err != nil {
				return own, err
			}
			return merged.Spec, nil
		}
	}
	return s
}

// Reserve reserves the cluster.
func (s Sim) Reserve(ctx context.Context, config *rest.Config) (release func(context.Context) error, err error) {
	c, err := kube.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return reserve(ctx, c, deploy.Namespace)
}

// Install puts an agent on each node.
func (s Sim) Install(ctx context.Context, config *rest.Config, nodes []string) error {
	c, err := kube.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := deploy.Install(ctx, c, s.Config); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	return deploy.WaitReady(ctx, c, nodes)
}

// Uninstall removes leftovers of cases and then the agents: without agents the kubelet could not terminate pods with
// a claim.
func (s Sim) Uninstall(ctx context.Context, config *rest.Config) error {
	c, err := kube.NewForConfig(config)
	if err != nil {
		return err
	}
	going, err := sweep(ctx, c)
	if err != nil {
		return fmt.Errorf("remove what cases left: %w", err)
	}
	if err := deploy.Uninstall(ctx, c); err != nil {
		return err
	}
	if err := awaitGone(ctx, c, going); err != nil {
		return fmt.Errorf("remove what cases left: %w", err)
	}
	return nil
}

// Connect connects one process to the agents.
func (s Sim) Connect(_ context.Context, config *rest.Config) (agentapi.AgentClient, error) {
	return client.New(config)
}

// Driver is the driver's name and image in reports.
func (s Sim) Driver() (name, image string) {
	return deploy.Name, cmp.Or(s.Config.Image, deploy.DefaultImage)
}
