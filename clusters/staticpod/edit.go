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

package staticpod

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// WithImage returns a manifest with another image. A substituted manifest is rejected: its stored original would be
// outdated.
func WithImage(manifest []byte, image string) ([]byte, error) {
	return edit(manifest, func(_ string, command []string) (string, []string) { return image, command })
}

// WithGate returns a manifest with a feature gate switched on or off and the others unchanged. A substituted manifest
// is rejected.
func WithGate(manifest []byte, gate string, on bool) ([]byte, error) {
	return edit(manifest, func(image string, command []string) (string, []string) {
		const flag = "--feature-gates"
		gates := map[string]string{}
		old := sameFlag(command, flag)
		if _, list, ok := strings.Cut(old, "="); ok {
			for item := range strings.SplitSeq(list, ",") {
				name, value, _ := strings.Cut(item, "=")
				gates[name] = value
			}
		}
		gates[gate] = fmt.Sprint(on)
		var items []string
		for _, name := range slices.Sorted(maps.Keys(gates)) {
			items = append(items, name+"="+gates[name])
		}
		command = slices.DeleteFunc(slices.Clone(command), func(arg string) bool { return old != "" && arg == old })
		return image, append(command, flag+"="+strings.Join(items, ","))
	})
}

func edit(manifest []byte, change func(image string, command []string) (string, []string)) ([]byte, error) {
	pod, err := decode(manifest)
	if err != nil {
		return nil, err
	}
	if _, ok := pod.Annotations[stockAnnotation]; ok {
		return nil, fmt.Errorf("change a static pod: %s has been substituted: start from the original", pod.Name)
	}
	c := &pod.Spec.Containers[0]
	c.Image, c.Command = change(c.Image, c.Command)
	return encode(pod)
}
