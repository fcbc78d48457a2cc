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

// Config declares a cluster. It is the schema of the file for "dratest cluster create --config" (YAML, decoded
// strictly); flags fill it in too. The zero value is the default cluster.
type Config struct {
	// Name of the cluster; empty means "dratest".
	Name string `json:"name,omitempty"`
	// Version of Kubernetes as "v1.37.1"; empty means the newest known one.
	Version string `json:"version,omitempty"`
	// Provider is ProviderKind (the default if empty) or ProviderControlPlane.
	Provider string `json:"provider,omitempty"`
	// Nodes is the number of simulated kwok nodes; ProviderControlPlane only.
	Nodes int `json:"nodes,omitempty"`
	// Without lists optional components to leave out, spec.Scheduler and spec.Controllers; ProviderControlPlane only.
	Without []string `json:"without,omitempty"`
	// Workers is the number of worker nodes in addition to the control plane node; nil means two.
	Workers *int `json:"workers,omitempty"`
	// Image overrides the node image of Version.
	Image string `json:"image,omitempty"`
	// NodeImageSource selects the source of the node image; empty means auto.
	NodeImageSource NodeImageSource `json:"nodeImageSource,omitempty"`
	// NodeImageRegistry serves kindest/node and library/busybox, as "mirror.example.com/docker"; empty means
	// DefaultRegistry.
	NodeImageRegistry string `json:"nodeImageRegistry,omitempty"`
	// FeatureGates are set on every component that knows them.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
	// RuntimeConfig enables or disables API groups and versions, as {"resource.k8s.io/v1beta1": "true"}.
	RuntimeConfig map[string]string `json:"runtimeConfig,omitempty"`
	// ComponentArgs are extra arguments by component ("apiserver",
	// "controller-manager", "scheduler", "kubelet", "etcd") without dashes. Leader
	// election stays on.
	ComponentArgs map[string]map[string]string `json:"componentArgs,omitempty"`
	// Programs overrides the paths of control plane programs by process name, as "kube-scheduler"; ProviderControlPlane
	// only.
	Programs map[string]string `json:"programs,omitempty"`
	// Stack selects this project's components; empty fields are stock.
	Stack Stack `json:"stack,omitzero"`
	// Kubelet is merged into the KubeletConfiguration of every node.
	Kubelet map[string]any `json:"kubelet,omitempty"`
	// PlainScheduler keeps Kubernetes' scheduler defaults. Otherwise the scheduler gets a configuration file with
	// BindingTimeout if its version accepts one.
	PlainScheduler bool `json:"-"`
	// Scheduler is merged into the configuration of the scheduler; only ProviderControlPlane does.
	Scheduler map[string]any `json:"-"`
	// Keep keeps a cluster after a failed creation for debugging.
	Keep bool `json:"-"`
	// Temporary clusters are locked by the creating process and deleted at its end. If that process is gone, the next
	// creation of the same name replaces the cluster.
	Temporary bool `json:"-"`
}

// BindingTimeout is how long schedulers of dratest's clusters wait for binding conditions: shorter than Kubernetes'
// ten minutes, so cases can wait for the timeout, and long enough for conditions set late.
const BindingTimeout = 20 * time.Second

// DefaultsProfile is a second scheduler profile with nothing set, for pods testing Kubernetes' defaults.
const DefaultsProfile = "dratest-defaults"

// DefaultName is the name of a cluster if none is given.
const DefaultName = "dratest"

// WithDefaults returns the configuration with empty fields filled in; newest is the default Version.
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
