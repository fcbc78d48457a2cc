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

var allDrivers = []string{"gpu.example.com", "nic.example.com", "cpu.example.com"} //nolint:gochecknoglobals // a table

// addPools publishes up to ten devices, mostly fewer, to bound upstream's search.
func (g *generator) addPools() {
	g.addFeatures()
	pools := 1
	if g.knobs[severalPools] {
		pools = g.between(2, 3)
	}
	total := pick(g, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 8, 8, 9, 10)
	if g.knobs[manyResults] {
		total = pick(g, 6, 11, 17, 33, 36)
	}
	used := map[string]bool{}
	for i := range pools {
		driver := allDrivers[0]
		if g.knobs[severalPools] {
			driver = pick(g, allDrivers...)
		}
		name := pick(g, "a", "b", "node-0")
		if used[driver+"/"+name] {
			name = fmt.Sprintf("pool-%d", i)
		}
		used[driver+"/"+name] = true
		n := total / (pools - i)
		if i < pools-1 && n > 0 {
			n = g.between(max(0, n-1), min(total, n+1))
		}
		total -= n
		g.addPool(driver, name, n)
	}
}

// addPool publishes n devices in one or more slices whose names are not in creation order.
func (g *generator) addPool(driver, pool string, n int) {
	g.drivers = append(g.drivers, driver)
	parts := 1
	if g.knobs[severalSlices] {
		parts = g.between(2, 3)
	}
	generation := int64(g.between(1, 3))
	first := len(g.p.Slices)
	where := g.selection()
	letters := g.Perm(3)
	offset := g.IntN(3)
	for i := range parts {
		if i > 0 && g.knobs[severalNodes] && g.chance(40) {
			where = g.selection()
		}
		slice := g.newSlice(driver, pool, fmt.Sprintf("%c-%d", 'a'+letters[i], i), generation, where)
		share := n / (parts - i)
		n -= share
		if g.knobs[perDevice] && g.chance(70) {
			slice.Spec.NodeName, slice.Spec.AllNodes, slice.Spec.NodeSelector = nil, nil, nil
			slice.Spec.PerDeviceNodeSelection = ptr.To(true)
		}
		for d := range share {
			// Neighbors are often interchangeable.
			if d > 0 && g.chance(40) {
				twin := slice.Spec.Devices[d-1].DeepCopy()
				twin.Name = g.deviceName(i, d, offset)
				slice.Spec.Devices = append(slice.Spec.Devices, *twin)
				continue
			}
			slice.Spec.Devices = append(slice.Spec.Devices, g.device(g.deviceName(i, d, offset), driver, slice.Spec.PerDeviceNodeSelection != nil))
		}
		g.p.Slices = append(g.p.Slices, slice)
	}
	if g.knobs[counters] && g.chance(80) {
		g.addCounters(first, where)
	}
	for i := first; i < len(g.p.Slices); i++ {
		g.p.Slices[i].Spec.Pool.ResourceSliceCount = int64(len(g.p.Slices) - first)
	}
}

func (g *generator) newSlice(driver, pool, name string, generation int64, where selection) resourceapi.ResourceSlice {
	return resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%s-%s", driver[:3], pool, name)},
		Spec: resourceapi.ResourceSliceSpec{
			Driver:       driver,
			Pool:         resourceapi.ResourcePool{Name: pool, Generation: generation},
			NodeName:     where.nodeName,
			AllNodes:     where.allNodes,
			NodeSelector: where.nodeSelector,
		},
	}
}

// deviceName gives names not sorted in slice order.
func (g *generator) deviceName(slice, device, offset int) string {
	return fmt.Sprintf("dev-%d%c", slice, 'a'+(device*7+offset)%26) + dozens(device)
}

// dozens makes names in large pools unique.
func dozens(device int) string {
	if device < 26 {
		return ""
	}
	return fmt.Sprint(device / 26)
}
