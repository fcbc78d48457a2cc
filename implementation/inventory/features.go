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

// Features lists the enabled optional parts of dynamic resource allocation. Fields are named after
// their feature gates without the prefix DRA. The zero value is the smallest set.
type Features struct {
	AdminAccess             bool // KEP-5018
	PrioritizedList         bool // KEP-4816
	PartitionableDevices    bool // KEP-4815
	DeviceTaints            bool // KEP-5055
	DeviceBindingAndStatus  bool // KEP-5007 together with KEP-4817
	ConsumableCapacity      bool // KEP-5075
	FractionalCapacityRange bool // KEP-5075
}

// AllFeatures returns the defaults of Kubernetes v1.37.
func AllFeatures() Features {
	return Features{
		AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true,
		DeviceBindingAndStatus: true, ConsumableCapacity: true, FractionalCapacityRange: true,
	}
}
