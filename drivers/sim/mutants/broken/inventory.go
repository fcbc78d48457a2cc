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

package broken

import (
	"fmt"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

// invalidAttribute uses a name other than a C identifier.
func invalidAttribute(p *spec.Profile) {
	for i := range p.Pools {
		for j := range p.Pools[i].Devices {
			d := &p.Pools[i].Devices[j]
			if d.Attributes == nil {
				d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
			}
			d.Attributes["numa-1"] = resourceapi.DeviceAttribute{IntValue: ptr.To[int64](1)}
		}
	}
}

func tooManyDevices(p *spec.Profile) {
	for i := range p.Pools {
		for n := len(p.Pools[i].Devices); n <= resourceapi.ResourceSliceMaxDevices; n++ {
			p.Pools[i].Devices = append(p.Pools[i].Devices, resourceapi.Device{Name: fmt.Sprintf("device-%d", n)})
		}
	}
}

// lastDeviceMissing drops one device, as with an off-by-one slice limit.
func lastDeviceMissing(p *spec.Profile) {
	for i := range p.Pools {
		if last := len(p.Pools[i].Devices) - 1; last > 0 {
			p.Pools[i].Devices = p.Pools[i].Devices[:last]
		}
	}
}

// namesChange counts from another number in each process.
func namesChange(p *spec.Profile) {
	first := time.Now().Unix() % 1_000_000
	for i := range p.Pools {
		for j := range p.Pools[i].Devices {
			p.Pools[i].Devices[j].Name = fmt.Sprintf("device-%d", first+int64(j))
		}
	}
}
