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

package problem

import (
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// Pod is the relevant part of a pod.
type Pod struct {
	Name string `json:"name"`
	// Claims are names of Problem.Claims and Problem.Allocated.
	Claims []string `json:"claims,omitempty"`
	// Containers request extended resources. Init containers and sidecars come first.
	Containers []Container `json:"containers,omitempty"`
}

// Container is a container requesting extended resources.
type Container struct {
	Name string        `json:"name"`
	Kind ContainerKind `json:"kind,omitempty"`
	// Extended has the number of devices by extended resource.
	Extended map[string]int64 `json:"extended,omitempty"`
}

// ContainerKind determines when a container runs.
type ContainerKind string

// The kinds of containers: an init container ends before the next one starts, a sidecar keeps running.
const (
	Main    ContainerKind = ""
	Init    ContainerKind = "Init"
	Sidecar ContainerKind = "Sidecar"
)

// Extended returns the largest number of devices in use at a time by extended resource, without zeros.
func (p *Pod) Extended() map[string]int64 {
	running, needed := map[string]int64{}, map[string]int64{}
	for _, c := range p.Containers {
		for name, count := range c.Extended {
			needed[name] = max(needed[name], running[name]+count)
			if c.Kind != Init {
				running[name] += count
			}
		}
	}
	maps.DeleteFunc(needed, func(_ string, count int64) bool { return count == 0 })
	return needed
}

// SharesName reports whether another class has the same extended resource.
func (p *Problem) SharesName(class *resourceapi.DeviceClass) bool {
	name := class.Spec.ExtendedResourceName
	return name != nil && slices.ContainsFunc(p.Classes, func(c resourceapi.DeviceClass) bool {
		return c.Name != class.Name && ptr.Deref(c.Spec.ExtendedResourceName, "") == *name
	})
}

func (p *Pod) copy() Pod {
	c := Pod{Name: p.Name, Claims: slices.Clone(p.Claims)}
	for _, container := range p.Containers {
		container.Extended = maps.Clone(container.Extended)
		c.Containers = append(c.Containers, container)
	}
	return c
}
