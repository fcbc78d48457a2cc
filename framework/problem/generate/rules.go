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
	"k8s.io/utils/ptr"
)

// addRules taints devices of a driver, of a pool, or one device. A rule without a selector taints none.
func (g *generator) addRules() {
	if !g.chance(8) && (!g.knobs[taints] || !g.chance(40)) {
		return
	}
	for i := range g.between(1, 2) {
		rule := resourceapi.DeviceTaintRule{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("rule-%d", i)}, Spec: resourceapi.DeviceTaintRuleSpec{Taint: g.taint()},
		}
		if spec := pick(g, g.p.Slices...).Spec; g.chance(95) {
			rule.Spec.DeviceSelector = &resourceapi.DeviceTaintSelector{Driver: ptr.To(spec.Driver)}
			if g.chance(60) {
				rule.Spec.DeviceSelector.Pool = ptr.To(spec.Pool.Name)
			}
			if len(spec.Devices) > 0 && g.chance(70) {
				rule.Spec.DeviceSelector.Device = ptr.To(pick(g, spec.Devices...).Name)
			}
		}
		g.p.Rules = append(g.p.Rules, rule)
	}
}
