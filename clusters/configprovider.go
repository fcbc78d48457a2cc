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
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Cluster providers.
const (
	// ProviderKind runs nodes as local containers.
	ProviderKind = "kind"
	// ProviderControlPlane runs a control plane as local processes, with nodes simulated by kwok.
	ProviderControlPlane = "controlplane"
)

// MaxNodes bounds the simulated nodes: twice the 5000 nodes Kubernetes supports, the most tried with etcd and the API
// server on one machine.
const MaxNodes = 10000

// validateProvider returns errors for fields the provider does not support.
func (c Config) validateProvider() error {
	switch c.Provider {
	case "", ProviderKind:
		return c.validateKind()
	case ProviderControlPlane:
		return c.validateControlPlane()
	default:
		return fmt.Errorf("provider: %q is unknown, known are %s and %s", c.Provider, ProviderKind, ProviderControlPlane)
	}
}

func (c Config) validateKind() error {
	var errs []error
	if c.Nodes != 0 {
		errs = append(errs, fmt.Errorf("nodes: provider %s has no simulated nodes: give workers instead, or provider %s", ProviderKind, ProviderControlPlane))
	}
	if len(c.Without) > 0 {
		errs = append(errs, fmt.Errorf("without: provider %s has all components: only provider %s can leave some out", ProviderKind, ProviderControlPlane))
	}
	if len(c.Programs) > 0 {
		errs = append(errs, fmt.Errorf("programs: provider %s runs those of its node image: only provider %s can run others", ProviderKind, ProviderControlPlane))
	}
	return errors.Join(errs...)
}

func (c Config) validateControlPlane() error {
	var errs []error
	refuse := func(field, why string) {
		errs = append(errs, fmt.Errorf("%s: provider %s %s", field, ProviderControlPlane, why))
	}
	if c.Nodes < 0 || c.Nodes > MaxNodes {
		errs = append(errs, fmt.Errorf("nodes: %d: must be between 0 and %d", c.Nodes, MaxNodes))
	}
	if c.Workers != nil {
		refuse("workers", "has no real nodes: give nodes, which kwok simulates, instead")
	}
	if c.Image != "" {
		refuse("image", "has no node image: give a version instead")
	}
	if len(c.Kubelet) > 0 || len(c.ComponentArgs["kubelet"]) > 0 {
		refuse("kubelet", "has no kubelets that could be configured")
	}
	if c.Stack.Kubelet == spec.Own {
		refuse("stack", "has no kubelets: choose scheduler=own, controllers=own or both")
	}
	known := []string{spec.Scheduler, spec.Controllers}
	for _, component := range c.Without {
		if !slices.Contains(known, component) {
			errs = append(errs, fmt.Errorf("without: unknown component %q, known are %s", component, strings.Join(known, ", ")))
		}
	}
	if c.Stack.Scheduler == spec.Own && slices.Contains(c.Without, spec.Scheduler) {
		errs = append(errs, errors.New("without: the stack has the own scheduler, so it cannot be left out"))
	}
	if c.Stack.Controllers == spec.Own && slices.Contains(c.Without, spec.Controllers) {
		errs = append(errs, errors.New("without: the stack has own controllers, so they cannot be left out"))
	}
	return errors.Join(errs...)
}
