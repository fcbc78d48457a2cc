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
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/spec"
)

// nodes are the nodes for pods with devices of a case, in order.
func (e *Env) nodes(m spec.Meta) []string {
	needs := m.Needs
	if e.SetAside != "" && m.HoldsNode {
		return []string{e.SetAside}
	}
	if s := e.Plan.Target.DriverUnderTest; s != nil {
		return s.ClassFor(needs.DriverFeatures).Nodes
	}
	return slices.DeleteFunc(e.Plan.Target.NodesFor(needs), func(node string) bool { return node == e.SetAside })
}

// Companion returns the client of a companion program. The case is blocked if the run has none.
func (t *T) Companion(name spec.Companion) any {
	ginkgo.GinkgoHelper()
	client := t.env.Companions[name]
	if client == nil {
		t.Blockedf("this run has no companion program %q", name)
	}
	return client
}

// driverUnderTest is the name of the driver under test; empty if drivers are simulated.
func (e *Env) driverUnderTest() string {
	if s := e.Plan.Target.DriverUnderTest; s != nil {
		return s.Driver
	}
	return ""
}

// DriverName is the name of the driver of the case, or empty if it has none. Simulated drivers have
// a name unique for the case. Cases without a kubelet publish under such a name, and no driver
// runs.
func (t *T) DriverName() string {
	needs := t.meta.Needs
	if s := t.env.driverUnderTest(); s != "" && !needs.NoKubelet {
		return s
	}
	if needs.NoKubelet || len(needs.Profile.Pools) > 0 {
		return DriverName(t.meta.ID, t.Namespace)
	}
	return ""
}

// connect creates the clients of a case.
func connect(config *rest.Config) (kubernetes.Interface, Objects, error) {
	client, err := kube.NewForConfig(config)
	if err != nil {
		return nil, nil, fmt.Errorf("make a client: %w", err)
	}
	objects, err := ctrlclient.New(config, ctrlclient.Options{})
	if err != nil {
		return nil, nil, fmt.Errorf("make a client: %w", err)
	}
	return client, apiObjects{objects, config}, nil
}
