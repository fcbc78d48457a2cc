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

package oracle

import (
	"context"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
)

// compiled caches programs: compilation is slow, and problems share expressions.
var compiled = sync.OnceValue(func() *cel.Cache { //nolint:gochecknoglobals // a cache
	return cel.NewCache(1000, cel.Features{EnableConsumableCapacity: true})
})

// evaluation identifies an expression evaluated for a device.
type evaluation struct {
	expression string
	device     *device
}

// matches evaluates selectors in order. The answer is open if one fails, which ends an allocation
// attempt (CELDeviceSelector.Expression).
func (w *world) matches(selectors []resourceapi.DeviceSelector, d *device) answer {
	for _, s := range selectors {
		if s.CEL == nil {
			return open
		}
		if result := w.evaluate(s.CEL.Expression, d); result != yes {
			return result
		}
	}
	return yes
}

func (w *world) evaluate(expression string, d *device) answer {
	key := evaluation{expression, d}
	if result, ok := w.results[key]; ok {
		return result
	}
	result := open
	if program := compiled().GetOrCompile(expression); program.Error == nil {
		matches, _, err := program.DeviceMatches(context.Background(), cel.Device{
			Driver: d.id.driver, Attributes: d.Attributes, Capacity: d.Capacity, AllowMultipleAllocations: d.AllowMultipleAllocations,
		})
		if err == nil {
			result = certainly(matches)
		}
	}
	w.results[key] = result
	return result
}
