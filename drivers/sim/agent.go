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

package sim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/drivers/sim/proxy"
	"github.com/dra-conformance/dratest/framework/spec"
)

var (
	// ErrNotFound: there is no instance of that name.
	ErrNotFound = errors.New("no such driver")
	// ErrExists: there is an instance of that name with another configuration.
	ErrExists = errors.New("driver exists with another configuration")
	// ErrInvalid: the request is invalid.
	ErrInvalid = errors.New("invalid")
)

// Agent hosts driver instances on one node. It is safe for concurrent use.
type Agent struct {
	config Config

	mutex sync.Mutex
	// slots are kept after their instances have stopped: they are small, and a request may be waiting for one.
	slots map[string]*slot
	// proxies intercept drivers hosted by others.
	proxies map[string]*proxy.Proxy
}

// slot reserves a name while its instance starts and stops, so requests wait only for the same driver.
type slot struct {
	mutex    sync.Mutex
	config   spec.DriverConfig
	instance *instance // nil while there is none
}

// New returns an agent without instances, after removing leftovers of a killed agent.
func New(ctx context.Context, config Config) (*Agent, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("check configuration: %w", err)
	}
	a := &Agent{config: config.withDefaults(), slots: map[string]*slot{}}
	return a, removeLeftovers(ctx, a.config)
}

// Start starts an instance; its sockets are open when Start returns. Starting it again with the same configuration
// does nothing. Errors: ErrInvalid, ErrExists, or of its files.
func (a *Agent) Start(ctx context.Context, config spec.DriverConfig) error {
	if err := config.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	s := a.slot(config.Name)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.instance != nil {
		if equality.Semantic.DeepEqual(s.config, config) {
			return nil
		}
		return fmt.Errorf("%w: %s", ErrExists, config.Name)
	}
	i, err := startInstance(ctx, a.config, config)
	if err != nil {
		return err
	}
	s.instance, s.config = i, config
	klog.FromContext(ctx).V(2).Info("Started driver", "driver", config.Name)
	return nil
}

// Change changes a running instance. Errors: ErrNotFound, ErrInvalid, or of its files.
func (a *Agent) Change(ctx context.Context, driver string, change spec.DriverChange) error {
	i, err := a.instance(driver)
	if err != nil {
		return err
	}
	return i.change(ctx, change)
}

// Status returns the state of an instance. Errors: ErrNotFound, or of its files.
func (a *Agent) Status(driver string) (spec.DriverStatus, error) {
	i, err := a.instance(driver)
	if err != nil {
		return spec.DriverStatus{}, err
	}
	return i.status()
}

// Stop stops an instance and removes all its traces; a missing one is no error.
func (a *Agent) Stop(ctx context.Context, driver string) error {
	s := a.slot(driver)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.instance == nil {
		return nil
	}
	if err := s.instance.stop(ctx); err != nil {
		return err
	}
	s.instance = nil
	klog.FromContext(ctx).V(2).Info("Stopped driver", "driver", driver)
	return nil
}

// Close stops all instances.
func (a *Agent) Close(ctx context.Context) error {
	var group errgroup.Group
	for _, name := range a.reserved() {
		group.Go(func() error { return a.Stop(ctx, name) })
	}
	return errors.Join(group.Wait(), a.stopProxies())
}

// Drivers are the names of the instances, sorted.
func (a *Agent) Drivers() []string {
	names := []string{}
	for _, name := range a.reserved() {
		if _, err := a.instance(name); err == nil {
			names = append(names, name)
		}
	}
	return names
}

func (a *Agent) reserved() []string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return slices.Sorted(maps.Keys(a.slots))
}

func (a *Agent) slot(driver string) *slot {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	s := a.slots[driver]
	if s == nil {
		s = &slot{}
		a.slots[driver] = s
	}
	return s
}

func (a *Agent) instance(driver string) (*instance, error) {
	a.mutex.Lock()
	s := a.slots[driver]
	a.mutex.Unlock()
	if s == nil {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, driver)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.instance == nil {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, driver)
	}
	return s.instance, nil
}
