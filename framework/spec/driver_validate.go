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

package spec

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

var driverName = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// Validate returns all problems at once. A driver's name must start with a letter because it is also the vendor of
// the CDI devices.
func (c DriverConfig) Validate() error {
	var errs []error
	if len(c.Name) > 63 || !driverName.MatchString(c.Name) {
		errs = append(errs, fmt.Errorf("name %q must be a DNS subdomain of at most 63 characters starting with a letter", c.Name))
	}
	if !slices.Contains(Publishings(), c.Publishing) {
		errs = append(errs, fmt.Errorf("publishing: unknown way %q, known are %q", c.Publishing, Publishings()))
	}
	if _, known := FindMutant(c.Mutant); c.Mutant != "" && !known {
		errs = append(errs, fmt.Errorf("mutant: unknown %q", c.Mutant))
	}
	return errors.Join(append(errs, ValidateGRPC(c.GRPC), c.Profile.Validate())...)
}

// ValidateGRPC returns all problems of offered plugin API versions at once.
func ValidateGRPC(versions []GRPCVersion) error {
	var errs []error
	for _, version := range versions {
		if version != GRPCv1 && version != GRPCv1beta1 {
			errs = append(errs, fmt.Errorf("grpc: unknown version %q, known are %s and %s", version, GRPCv1, GRPCv1beta1))
		}
	}
	return errors.Join(errs...)
}

// Validate returns all problems at once.
func (p Profile) Validate() error {
	var errs []error
	seen := map[string]bool{}
	for _, pool := range p.Pools {
		if seen[pool.Suffix] {
			errs = append(errs, fmt.Errorf("profile %q: two pools have the suffix %q", p.Name, pool.Suffix))
		}
		seen[pool.Suffix] = true
		for _, told := range pool.Health {
			if !slices.ContainsFunc(pool.Devices, func(d resourceapi.Device) bool { return d.Name == told.Device }) {
				errs = append(errs, fmt.Errorf("profile %q: health is reported for device %q outside its pool", p.Name, told.Device))
			}
		}
		devices := map[string]bool{}
		for _, device := range pool.Devices {
			if devices[device.Name] {
				errs = append(errs, fmt.Errorf("profile %q: pool suffix %q has two devices named %q", p.Name, pool.Suffix, device.Name))
			}
			devices[device.Name] = true
		}
	}
	return errors.Join(errs...)
}
