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

package soak

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Options configure a soak.
type Options struct {
	testbed.Config

	// Companion provides the devices, for simulated nodes; nil uses a driver on the nodes.
	Companion Companion
	// Installed is the installed driver to measure; nil uses dra-sim. Then Faults repeat for Duration.
	Installed *Installed

	// Pods is the minimum number of pods, AtOnce the maximum number at a time, including pending ones. Zero is twice the
	// number of devices of an installed driver.
	Pods   int
	AtOnce int
	// Duration is the minimum time for creating pods.
	Duration time.Duration
	// Faults run one after the other, at random moments with Every as average interval; pods are created until the last
	// one is over.
	Faults []Fault
	Every  time.Duration
	// Patience is the time without progress before pods count as stuck, and the limit for cleanup.
	Patience time.Duration
	// Seed of the pods and moments; zero means one from the clock.
	Seed int64
}

// Fault is injected into the cluster under load.
type Fault interface {
	// Name describes it, as "kill scheduler".
	Name() string
	// Do injects it and returns when it has taken effect. An error means it could not be injected.
	Do(ctx context.Context, target Target) error
}

// Killer is a Fault reporting where the killed component actually died.
type Killer interface {
	// Died counts the kills so far by point of death.
	Died() map[string]int
}

// Blinder marks faults that make the API server unavailable: the soak is blind then, and waits.
type Blinder interface {
	Blinds()
}

// Target is the cluster under load.
type Target struct {
	Client kubernetes.Interface
	// Namespace has the pods and claims, Driver their devices, with an instance on each of the Workers.
	Namespace string
	Driver    string
	Agents    agentapi.AgentClient
	Workers   []string
	// Cluster is the name of the cluster if made for the soak.
	Cluster string
	// Unpublished: the devices are in no slices. There are no Agents then.
	Unpublished bool
	// Pick returns a random worker, and Happened records a fault on it, for faults of an installed driver: Found.
	Pick     func() string
	Happened func(component, node string)
	Found    spec.DriverUnderTest
}

// Parts are the dependencies of a soak.
type Parts struct {
	testbed.Parts

	// Repair repairs leftovers of killed kubelets on the workers that no component repairs, and reports them. It is
	// called repeatedly; nil is for soaks without such kills.
	Repair func(ctx context.Context, target Target) ([]audit.Violation, error)
	// Logs are the patterns of companions' log names.
	Logs []string
}

func (o Options) withDefaults(now time.Time) Options {
	o.Config = o.WithDefaults()
	if o.Seed == 0 {
		o.Seed = now.Unix()
	}
	return o
}

// simulated reports whether nodes are simulated, so pods do not end by themselves.
func (o Options) simulated() bool { return o.Companion != nil }

// Validate returns all problems of the options at once.
func (o Options) Validate() error {
	errs := []error{o.Config.Validate()}
	if o.Pods < 1 {
		errs = append(errs, fmt.Errorf("pods: %d: must be at least 1", o.Pods))
	}
	if o.AtOnce < 2 && (o.AtOnce != 0 || o.Installed == nil) || o.AtOnce > mostAtOnce {
		errs = append(errs, fmt.Errorf("at once: %d: must be between 2 and 1000", o.AtOnce))
	}
	if o.Duration < 0 {
		errs = append(errs, fmt.Errorf("duration: %s: must not be negative", o.Duration))
	}
	if len(o.Faults) > 0 && o.Every <= 0 {
		errs = append(errs, fmt.Errorf("every: %s: must be positive", o.Every))
	}
	if o.Patience <= 0 {
		errs = append(errs, fmt.Errorf("patience: %s: must be positive", o.Patience))
	}
	if o.Installed != nil {
		errs = append(errs, o.Installed.validate(o))
	}
	if o.Companion != nil {
		errs = append(errs, o.Companion.Validate())
		if o.Existing() || o.Cluster.Provider != clusters.ProviderControlPlane || o.Cluster.Nodes < 1 {
			errs = append(errs, fmt.Errorf("%s: needs a cluster created by soak with provider controlplane", o.Companion.Name()))
		}
	}
	return errors.Join(errs...)
}
