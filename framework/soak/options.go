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
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Options say what to soak, and how.
type Options struct {
	testbed.Config

	// Companion has the devices, for simulated nodes; nil has a driver on the nodes.
	Companion Companion

	// Pods is the least number of pods that come and go, AtOnce the greatest
	// number at a time, those that wait for devices included.
	Pods   int
	AtOnce int
	// Duration is the least time for which pods are made.
	Duration time.Duration
	// Faults happen one after the other, at random moments that are Every apart on
	// average; pods come and go until the last one is over.
	Faults []Fault
	Every  time.Duration
	// Patience is how long nothing may happen before pods count as stuck, and how
	// long tidying up may take.
	Patience time.Duration
	// Seed of the pods and moments; zero means one from the clock.
	Seed int64
}

// Fault is something that is done to the cluster under load.
type Fault interface {
	// Name says what is done, as "kill scheduler".
	Name() string
	// Do does it and returns when it has taken effect. An error means that it
	// could not be done.
	Do(ctx context.Context, target Target) error
}

// Killer is a Fault that finds out where what it killed really was.
type Killer interface {
	// Died counts the kills so far by where that was.
	Died() map[string]int
}

// Blinder is a Fault during which the API server answers nobody: the soak sees
// nothing then, and waits for it.
type Blinder interface {
	Blinds()
}

// Target is the cluster under load.
type Target struct {
	Client kubernetes.Interface
	// Namespace is where the pods and claims are, Driver has their devices, with
	// an instance on each of the Workers.
	Namespace string
	Driver    string
	Agents    agentapi.AgentClient
	Workers   []string
	// Cluster is the name of the cluster if it was made for the soak.
	Cluster string
	// Unpublished is whether the devices are in no slices. There are no Agents then.
	Unpublished bool
}

// Parts are what a soak is put together from.
type Parts struct {
	testbed.Parts

	// Repair repairs on the workers what killed kubelets leave behind and no component
	// repairs, and says what that was. It is asked again and again; nil is for soaks
	// that kill none.
	Repair func(ctx context.Context, target Target) ([]audit.Violation, error)
	// Logs are the patterns of the names under which companions log.
	Logs []string
}

func (o Options) withDefaults(now time.Time) Options {
	o.Config = o.WithDefaults()
	if o.Seed == 0 {
		o.Seed = now.Unix()
	}
	return o
}

// simulated is whether nodes are simulated, where no pod ends by itself.
func (o Options) simulated() bool { return o.Companion != nil }

// Validate returns all problems of the options at once.
func (o Options) Validate() error {
	errs := []error{o.Config.Validate()}
	if o.Pods < 1 {
		errs = append(errs, fmt.Errorf("pods: %d: must be at least 1", o.Pods))
	}
	if o.AtOnce < 2 || o.AtOnce > 1000 {
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
	if o.Companion != nil {
		errs = append(errs, o.Companion.Validate())
		if o.Kubeconfig != "" || o.Cluster.Provider != clusters.ProviderControlPlane || o.Cluster.Nodes < 1 {
			errs = append(errs, fmt.Errorf("%s: needs a cluster that is made for the soak, of processes with simulated nodes", o.Companion.Name()))
		}
	}
	return errors.Join(errs...)
}
