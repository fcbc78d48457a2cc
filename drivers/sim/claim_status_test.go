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

package sim

import (
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TestDeviceStatus: the driver adds its status once to the status of others, and does not mistake a new claim of the
// same name for the prepared one.
func TestDeviceStatus(t *testing.T) {
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	agent, client := newAgent(t, root)
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.WritingStatus(profiles.OneDevice())}); err != nil {
		t.Fatal(err)
	}
	kubelet.registered(t, 1)
	claim := allocatedIn(t, client, "c", "device-0")
	claims := client.ResourceV1().ResourceClaims(claim.Namespace)
	claim.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: "other.example.com", Pool: "p", Device: "d"}}
	if _, err := claims.UpdateStatus(t.Context(), claim, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if answer := kubelet.prepare(t, claim); answer.GetError() != "" {
			t.Fatal(answer.GetError())
		}
		now, err := claims.Get(t.Context(), "c", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		reported := now.Status.Devices
		if len(reported) != 2 || reported[0].Driver != "other.example.com" || reported[1].Driver != driver || reported[1].Device != "device-0" || len(reported[1].Conditions) != 1 || reported[1].Conditions[0].Type != ready {
			t.Errorf("status of devices: %+v", reported)
		}
	}
	p := &plugin{driver: driver, client: client}
	other := claim.DeepCopy()
	other.UID = "another"
	if err := p.reportReady(t.Context(), other); err == nil || !strings.Contains(err.Error(), "another claim") {
		t.Errorf("the status of another claim of that name is written: %v", err)
	}
}
