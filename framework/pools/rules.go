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

package pools

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
)

// Broken returns the problems of one driver's slices at one moment. A missing slice of the newest generation is no
// problem: readers wait for it.
func Broken(driver string, state []resourceapi.ResourceSlice) []string {
	var problems []string
	for _, pool := range Of(driver, state) {
		at := fmt.Sprintf("pool %s, generation %d: ", pool.Name, pool.Generation)
		count := pool.Slices[0].Spec.Pool.ResourceSliceCount
		for _, s := range pool.Slices {
			if s.Spec.Pool.ResourceSliceCount != count {
				problems = append(problems, fmt.Sprintf("%sone slice says that there are %d, another one %d", at, count, s.Spec.Pool.ResourceSliceCount))
				break
			}
		}
		if int64(len(pool.Slices)) > count {
			problems = append(problems, fmt.Sprintf("%sthere are %d slices, which say that there are %d", at, len(pool.Slices), count))
		}
		seen := map[string]bool{}
		for _, d := range pool.Devices() {
			if seen[d.Name] {
				problems = append(problems, fmt.Sprintf("%sdevice %s is there twice", at, d.Name))
			}
			seen[d.Name] = true
		}
	}
	return problems
}
