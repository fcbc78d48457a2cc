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

package nodeplan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
)

// DefaultTimeout is the timeout of driver calls without a configured one.
const DefaultTimeout = 45 * time.Second

// supportedServices are the supported gRPC services, best first.
func supportedServices() []string { return []string{"v1.DRAPlugin", "v1beta1.DRAPlugin"} }

// Instance is a kubelet plugin of a driver. A driver may temporarily have several, during a rolling
// update.
type Instance struct {
	Driver, Endpoint string
	// Service is the gRPC service to call.
	Service string
	// Timeout is the timeout of a call.
	Timeout time.Duration
	// Connected is set while there is a connection.
	Connected bool
}

// Drivers are the registered instances. The zero value has none.
type Drivers struct {
	// instances are in the order of their registration.
	instances map[string][]Instance
}

// Register adds an instance with its services. A timeout of zero is the default. An endpoint
// belongs to one instance and one driver. The driver name must be valid in ResourceSlices and
// allocations, otherwise the driver would never be called.
func (d *Drivers) Register(driver, endpoint string, services []string, timeout time.Duration) (Instance, error) {
	if err := checkName(driver); err != nil {
		return Instance{}, fmt.Errorf("invalid name %q of DRA driver plugin at endpoint %s: %w", driver, endpoint, err)
	}
	service, err := choose(services)
	if err != nil {
		return Instance{}, fmt.Errorf("invalid supported gRPC versions of DRA driver plugin %s at endpoint %s: %w", driver, endpoint, err)
	}
	for _, other := range slices.Sorted(maps.Keys(d.instances)) {
		for _, instance := range d.instances[other] {
			if instance.Endpoint == endpoint {
				return Instance{}, fmt.Errorf("endpoint %s already registered for DRA driver plugin %s", endpoint, other)
			}
		}
	}
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	instance := Instance{Driver: driver, Endpoint: endpoint, Service: service, Timeout: timeout}
	if d.instances == nil {
		d.instances = make(map[string][]Instance)
	}
	d.instances[driver] = append(d.instances[driver], instance)
	return instance, nil
}

// checkName follows the API server's validation of driver names (k8s.io/kubernetes v1.37.1
// pkg/apis/core/validation/validation.go, ValidateCSIDriverName).
func checkName(driver string) error {
	if len(driver) > resourceapi.DriverNameMaxLength {
		return fmt.Errorf("must be no more than %d characters", resourceapi.DriverNameMaxLength)
	}
	if problems := validation.IsDNS1123Subdomain(strings.ToLower(driver)); len(problems) > 0 {
		return errors.New(strings.Join(problems, "; "))
	}
	return nil
}

func choose(services []string) (string, error) {
	if len(services) == 0 {
		return "", errors.New("empty list of supported gRPC services (aka supported versions)")
	}
	for _, service := range supportedServices() {
		if slices.Contains(services, service) {
			return service, nil
		}
	}
	return "", fmt.Errorf("none of services supported by the plugin (%q) are supported by the kubelet (%q)", services, supportedServices())
}

// Deregister removes an instance and reports whether it was the driver's last one: then the
// driver's ResourceSlices are removed unless it returns.
func (d *Drivers) Deregister(driver, endpoint string) bool {
	left := slices.DeleteFunc(d.instances[driver], func(instance Instance) bool { return instance.Endpoint == endpoint })
	if len(left) > 0 {
		d.instances[driver] = left
		return false
	}
	_, known := d.instances[driver]
	delete(d.instances, driver)
	return known
}

// SetConnected records a new or lost connection.
func (d *Drivers) SetConnected(driver, endpoint string, connected bool) {
	for i := range d.instances[driver] {
		if d.instances[driver][i].Endpoint == endpoint {
			d.instances[driver][i].Connected = connected
		}
	}
}

// Pick returns the instance to call: the newest connected one, otherwise the newest, which may
// connect with the call.
func (d *Drivers) Pick(driver string) (Instance, bool) {
	instances := d.instances[driver]
	if len(instances) == 0 {
		return Instance{}, false
	}
	for _, instance := range slices.Backward(instances) {
		if instance.Connected {
			return instance, true
		}
	}
	return instances[len(instances)-1], true
}

// Names returns the drivers with an instance.
func (d *Drivers) Names() sets.Set[string] { return sets.KeySet(d.instances) }
