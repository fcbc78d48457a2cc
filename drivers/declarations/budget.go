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

package declarations

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Budget is the maximum cost of the driver, as promised by its vendor. The case life/costs also measures omitted
// values, without a limit.
type Budget struct {
	// The calls' times are those observed by the kubelet.
	PrepareP50   time.Duration `yaml:"prepareP50,omitempty" jsonschema:"type=string,description=Median time of preparing the claims of a pod."`
	PrepareP99   time.Duration `yaml:"prepareP99,omitempty" jsonschema:"type=string"`
	UnprepareP50 time.Duration `yaml:"unprepareP50,omitempty" jsonschema:"type=string,description=Median time of unpreparing them."`
	UnprepareP99 time.Duration `yaml:"unprepareP99,omitempty" jsonschema:"type=string"`
	// PodStart is in the median.
	PodStart time.Duration `yaml:"podStart,omitempty" jsonschema:"type=string,description=How much later a pod with a claim runs than one without\\, in the median."`
	// SliceWritesPerHour counts all nodes; none is a promise.
	SliceWritesPerHour *int `yaml:"sliceWritesPerHour,omitempty" jsonschema:"minimum=0,description=How often the driver writes slices of all nodes while no device changes."`
	// Memory is a quantity, as 64Mi.
	Memory          string `yaml:"memory,omitempty" jsonschema:"description=Resident memory of the driver's process on a node\\, as 64Mi."`
	FileDescriptors int    `yaml:"fileDescriptors,omitempty" jsonschema:"minimum=0,description=Open files of the driver's process on a node."`
}

// IsZero tells whether nothing is promised.
func (b Budget) IsZero() bool { return b == Budget{} }

func (b Budget) check(c *checker) {
	for _, one := range []struct {
		name string
		most time.Duration
	}{
		{"prepareP50", b.PrepareP50}, {"prepareP99", b.PrepareP99}, {"unprepareP50", b.UnprepareP50}, {"unprepareP99", b.UnprepareP99}, {"podStart", b.PodStart},
	} {
		if one.most < 0 {
			c.say("budget."+one.name, "must not be negative")
		}
	}
	if b.SliceWritesPerHour != nil && *b.SliceWritesPerHour < 0 {
		c.say("budget.sliceWritesPerHour", "must not be negative")
	}
	if _, err := resource.ParseQuantity(b.Memory); b.Memory != "" && err != nil {
		c.say("budget.memory", "%q is no quantity, as 64Mi", b.Memory)
	}
	if b.FileDescriptors < 0 {
		c.say("budget.fileDescriptors", "must not be negative")
	}
}
