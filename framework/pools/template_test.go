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
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestMisfits(t *testing.T) {
	device := func(model, memory string) Device {
		return Device{Pool: "n", Device: resourceapi.Device{
			Name:       model,
			Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"model": {StringValue: &model}, "slot": {IntValue: ptr.To[int64](3)}, "ecc": {BoolValue: ptr.To(true)}},
			Capacity:   map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse(memory)}},
		}}
	}
	template := []spec.DeviceTemplate{
		{Count: 2, Attributes: map[string]string{"model": "a", "slot": "3", "ecc": "true"}, Capacity: map[string]string{"memory": "1Gi"}},
		{Count: 1, Attributes: map[string]string{"model": "b"}},
	}
	for _, tc := range []struct {
		name    string
		devices []Device
		want    string
	}{
		{"as it says", []Device{device("a", "1024Mi"), device("b", "2Gi"), device("a", "1Gi")}, ""},
		{"one less", []Device{device("a", "1Gi"), device("b", "2Gi")}, "1 device(s) are as template[0] says, which has 2"},
		{"one more", []Device{device("a", "1Gi"), device("a", "1Gi"), device("b", "1"), device("b", "1")}, "2 device(s) are as template[1] says, which has 1"},
		{"another model", []Device{device("a", "1Gi"), device("a", "1Gi"), device("b", "1"), device("c", "1")}, `device n/c is not in the template: [attribute model is "c", the template says "a"`},
		{"another size", []Device{device("a", "1Gi"), device("a", "3Gi"), device("b", "1")}, "capacity memory is 3Gi, the template says 1Gi"},
		{"nothing", nil, "0 device(s) are as template[0] says"},
	} {
		got := strings.Join(Misfits(template, tc.devices), "; ")
		if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
	if got := Misfits(nil, []Device{device("a", "1")}); len(got) > 0 {
		t.Errorf("without a template: %v", got)
	}
}
