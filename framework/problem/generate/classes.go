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

package generate

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func (g *generator) addClasses() {
	n := 1
	if g.knobs[classSelectors] || g.knobs[configuration] || g.knobs[alternatives] {
		n = g.between(1, 3)
	}
	for i := range n {
		class := resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("class-%d", i)}}
		class.Spec.Selectors = g.selectors(classSelectors)
		if g.knobs[configuration] && g.chance(60) {
			for c := range g.between(1, 2) {
				class.Spec.Config = append(class.Spec.Config, resourceapi.DeviceClassConfiguration{
					DeviceConfiguration: g.parameters(fmt.Sprintf("%s/%d", class.Name, c)),
				})
			}
		}
		g.p.Classes = append(g.p.Classes, class)
	}
}

func (g *generator) parameters(from string) resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver:     pick(g, allDrivers...),
		Parameters: runtime.RawExtension{Raw: fmt.Appendf(nil, `{"from":%q}`, from)},
	}}
}

// addConfig adds claim configurations for some, all or no requests.
func (g *generator) addConfig(claim *resourceapi.ResourceClaim) {
	if !g.knobs[configuration] || g.chance(30) {
		return
	}
	for c := range g.between(1, 3) {
		config := resourceapi.DeviceClaimConfiguration{DeviceConfiguration: g.parameters(fmt.Sprintf("%s/%d", claim.Name, c))}
		if g.chance(75) {
			config.Requests = g.requestNames(claim)
		}
		claim.Spec.Devices.Config = append(claim.Spec.Devices.Config, config)
	}
}

// requestNames returns request names, including those of alternatives.
func (g *generator) requestNames(claim *resourceapi.ResourceClaim) []string {
	var names []string
	for _, request := range claim.Spec.Devices.Requests {
		if len(request.FirstAvailable) == 0 || g.chance(50) {
			names = append(names, request.Name)
			continue
		}
		for _, alternative := range request.FirstAvailable {
			names = append(names, request.Name+"/"+alternative.Name)
		}
	}
	return some(g, names)
}
