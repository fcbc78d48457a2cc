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

package clusters

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Config declares a cluster. It is the schema of the file that
// "dratest cluster create --config" reads (YAML, decoded strictly) and what the
// flags fill in; the zero value means the default cluster.
type Config struct {
	// Name of the cluster; empty means "dratest".
	Name string `json:"name,omitempty"`
	// Version of Kubernetes as "v1.37.1"; empty means the newest known one.
	Version string `json:"version,omitempty"`
	// Provider makes the cluster: ProviderKind, which is what empty means, or
	// ProviderControlPlane.
	Provider string `json:"provider,omitempty"`
	// Nodes is the number of nodes that kwok simulates; only ProviderControlPlane
	// has them.
	Nodes int `json:"nodes,omitempty"`
	// Without leaves components out that not every use needs: WithoutScheduler,
	// WithoutControllers; only ProviderControlPlane can.
	Without []string `json:"without,omitempty"`
	// Workers is the number of worker nodes beside the one control plane node;
	// nil means two.
	Workers *int `json:"workers,omitempty"`
	// Image overrides the node image that Version stands for.
	Image string `json:"image,omitempty"`
	// NodeImageSource says where the image of Version comes from; empty means auto.
	NodeImageSource NodeImageSource `json:"nodeImageSource,omitempty"`
	// NodeImageRegistry is asked for kindest/node and library/busybox, as
	// "mirror.example.com/docker"; empty means DefaultRegistry.
	NodeImageRegistry string `json:"nodeImageRegistry,omitempty"`
	// FeatureGates are set on every component that knows them.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
	// RuntimeConfig switches API groups and versions on or off, as
	// {"resource.k8s.io/v1beta1": "true"}.
	RuntimeConfig map[string]string `json:"runtimeConfig,omitempty"`
	// ComponentArgs are extra arguments by component ("apiserver",
	// "controller-manager", "scheduler", "kubelet", "etcd") without dashes. Leader
	// election stays on.
	ComponentArgs map[string]map[string]string `json:"componentArgs,omitempty"`
	// Programs are paths of programs that a control plane of processes runs in place of
	// those of its version and stack, by the names of the processes, as "kube-scheduler";
	// only ProviderControlPlane can.
	Programs map[string]string `json:"programs,omitempty"`
	// Stack says which components are this project's; those left empty are stock.
	Stack Stack `json:"stack,omitzero"`
	// Kubelet is merged into the KubeletConfiguration of every node.
	Kubelet map[string]any `json:"kubelet,omitempty"`
	// PlainScheduler has the scheduler take Kubernetes' defaults. Otherwise it gets a
	// file for BindingTimeout where its version takes one; an older one refuses it.
	PlainScheduler bool `json:"-"`
	// Scheduler is merged into the configuration of the scheduler; only ProviderControlPlane does.
	Scheduler map[string]any `json:"-"`
	// Keep leaves a cluster whose creation failed for a look around.
	Keep bool `json:"-"`
	// Temporary clusters belong to the process that makes them, which keeps others
	// away and deletes the cluster. Whoever makes a cluster of the name next may
	// replace it if that process is gone.
	Temporary bool `json:"-"`
}

// BindingTimeout is how long the schedulers of dratest's clusters wait for binding
// conditions: a case that waits it out must not take Kubernetes' ten minutes, and
// one whose conditions come late must not meet it.
const BindingTimeout = 20 * time.Second

// DefaultsProfile is a second profile of these schedulers, in which nothing is set, for pods
// that are about Kubernetes' defaults.
const DefaultsProfile = "dratest-defaults"

// DefaultName is the name of a cluster that has not been given one.
const DefaultName = "dratest"

// WithDefaults returns the configuration with every empty field filled in;
// newest is the version that an empty Version means.
func (c Config) WithDefaults(newest string) Config {
	if c.Name == "" {
		c.Name = DefaultName
	}
	if c.Version == "" {
		c.Version = newest
	}
	below := AllStock()
	if c.Provider == ProviderControlPlane {
		below.Kubelet = "" // there is none
	} else if c.Workers == nil {
		two := 2
		c.Workers = &two
	}
	c.Stack = c.Stack.Over(below)
	return c
}

// Validate returns all problems at once.
func (c Config) Validate() error {
	var errs []error
	for _, msg := range validation.IsDNS1123Label(c.Name) {
		errs = append(errs, fmt.Errorf("name: %q: %s", c.Name, msg))
	}
	if c.Workers != nil && (*c.Workers < 0 || *c.Workers > 20) {
		errs = append(errs, fmt.Errorf("workers: %d: must be between 0 and 20", *c.Workers))
	}
	known := []string{"apiserver", "controller-manager", "etcd", "kubelet", "scheduler"}
	for component := range c.ComponentArgs {
		if !slices.Contains(known, component) {
			errs = append(errs, fmt.Errorf("componentArgs: unknown component %q, known are %v", component, known))
		}
	}
	for _, component := range []string{"controller-manager", "scheduler"} {
		for name, value := range c.ComponentArgs[component] {
			name = strings.ReplaceAll(strings.TrimLeft(name, "-"), "_", "-")
			if on, err := strconv.ParseBool(value); name == "leader-elect" && err == nil && !on {
				errs = append(errs, fmt.Errorf("componentArgs: %s: leader-elect must stay true: a switch or an upgrade waits until the new one leads", component))
			}
		}
	}
	errs = append(errs, c.validateNodeImage()...)
	return errors.Join(append(errs, c.Stack.Validate(), c.validateProvider())...)
}
