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

package inventory

import (
	"cmp"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// PoolID identifies a resource pool in a cluster.
type PoolID struct {
	Driver, Pool string
}

// String returns "driver/pool", the format of Kubernetes messages.
func (id PoolID) String() string { return id.Driver + "/" + id.Pool }

// Compare sorts by driver, then pool: the allocation order.
func (id PoolID) Compare(other PoolID) int {
	return cmp.Or(cmp.Compare(id.Driver, other.Driver), cmp.Compare(id.Pool, other.Pool))
}

// DeviceID identifies a device in a cluster.
type DeviceID struct {
	Driver, Pool, Device string
}

// PoolID returns the device's pool.
func (id DeviceID) PoolID() PoolID { return PoolID{Driver: id.Driver, Pool: id.Pool} }

// LocalName returns the name of a driver's attribute or capacity without the driver's own domain: both
// spellings name the same one (QualifiedName of resource.k8s.io/v1).
func LocalName(driver string, name resourceapi.QualifiedName) resourceapi.QualifiedName {
	if domain, local, qualified := strings.Cut(string(name), "/"); qualified && domain == driver {
		return resourceapi.QualifiedName(local)
	}
	return name
}

// String returns "driver/pool/device", the format of Kubernetes messages.
func (id DeviceID) String() string { return id.Driver + "/" + id.Pool + "/" + id.Device }
