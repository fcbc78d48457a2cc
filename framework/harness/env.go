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
	"time"

	"github.com/onsi/ginkgo/v2"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Env is what all cases of a process share.
type Env struct {
	Config *rest.Config
	Plan   spec.Plan
	// Agents leads to the agents of the nodes.
	Agents agentapi.AgentClient
	// Driver returns the driver of a case. It starts the driver unless an earlier process of the
	// case did, which then is running.
	Driver func(t *T, running bool) Driver
	// Companions are the clients of companion programs, by name.
	Companions map[spec.Companion]any
	// Image is the image that cases' pods run: a busybox.
	Image string
	// ReportDir is where evidence goes, in one folder per case.
	ReportDir string
	// Journal is told when a case starts, comes to a step and ends; it must not block.
	Journal func(spec.Progress)
	// Timelines says of which cases a timeline is kept; empty means of none.
	Timelines spec.Timelines
	// Mutant breaks every simulated driver from the start, beneath the faults that cases inject.
	Mutant spec.MutantID
	// Strict has cases fail that see a known issue.
	Strict bool
	// Keep leaves the objects of failed cases in place.
	Keep bool

	// Connect and RemoveTimeout are for tests: other clients than those of a cluster, and a
	// shorter time for removing pods and claims.
	Connect       func(*rest.Config) (kubernetes.Interface, Objects, error)
	RemoveTimeout time.Duration
}

// nodes are those on which a case with these needs can have pods with devices, in order.
func (e *Env) nodes(needs spec.Needs) []string {
	if s := e.Plan.Target.Subject; s != nil {
		return s.ClassFor(needs.DriverFeatures).Nodes
	}
	return e.Plan.Target.NodesFor(needs)
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

// subject is the name of the driver that is tested as it was found; empty where cases
// bring their own.
func (e *Env) subject() string {
	if s := e.Plan.Target.Subject; s != nil {
		return s.Driver
	}
	return ""
}

// connect makes the clients of a case.
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
