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

package fabric

import (
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	free     = "Free"
	attached = "Attached"

	// always is longer than any case takes.
	always = time.Hour
)

// needs returns the needs of all cases.
func needs(nodes int) spec.Needs {
	return spec.Needs{NoKubelet: true, Companions: []spec.Companion{fabric.Companion}, Nodes: nodes,
		Features: []spec.Feature{spec.BindingConditions, spec.DeviceStatus, spec.DeviceTaints, spec.DeviceTaintRules}}
}

// binding returns a fabric with this many devices, with binding conditions.
func binding(devices int) spec.FabricConfig {
	return spec.FabricConfig{Devices: devices, Bind: true, DetachAfter: always}
}

// pod creates a pod "pod" with a claim of the same name, for a device of the case's driver.
func pod(t *harness.T, class string) {
	t.Create(objects.Claim("pod", objects.Request("req", class)), only(t))
}

// only returns the pod "pod" with the claim "pod", for the nodes of the case.
func only(t *harness.T) *corev1.Pod {
	return objects.OnlyOn(objects.Pod("pod", t.Image, "pod"), t.Nodes...)
}

// expectWaits expects the pod "pod" not to be bound.
func expectWaits(t *harness.T) {
	waiting := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: t.Namespace}}
	t.Get(waiting)
	t.Expect(waiting.Spec.NodeName).To(gomega.BeEmpty(), "node of the pod while it has no device")
}

// one reports whether exactly one device is in a phase; node "" is any.
func one(phase, node string) func(map[string]spec.FabricDevice) bool {
	return func(devices map[string]spec.FabricDevice) bool { return count(devices, phase, node) == 1 }
}

func count(devices map[string]spec.FabricDevice, phase, node string) int {
	found := 0
	for _, d := range devices {
		if d.Phase == phase && (node == "" || d.Node == node) {
			found++
		}
	}
	return found
}
