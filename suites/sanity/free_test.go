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

package sanity

import (
	"testing"
	"testing/synctest"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Devices in use do not make a check not applicable.
func TestTooFewFreeDevices(t *testing.T) {
	tainted := resourceapi.Device{Name: "b", Taints: []resourceapi.DeviceTaint{{Key: "sick"}}}
	needsTwo := Check{Meta: spec.Meta{ID: "sanity/needs-two"}, Run: func(t *T) { t.Devices(2) }}
	needsShared := Check{Meta: spec.Meta{ID: "sanity/needs-shared"}, Run: func(t *T) { t.SharedDevice() }}
	needsExclusive := Check{Meta: spec.Meta{ID: "sanity/needs-exclusive"}, Run: func(t *T) { t.Exclusive(1) }}
	shared := resourceapi.Device{Name: "s", AllowMultipleAllocations: ptr.To(true)}
	for name, row := range map[string]struct {
		check     Check
		published []resourceapi.Device
		held      string
		want      spec.Status
		text      string
	}{
		"enough":               {needsTwo, devices("a", "b"), "", spec.Passed, ""},
		"not published":        {needsTwo, devices("a"), "", spec.NotApplicable, "the driver has 1 on this node"},
		"held":                 {needsTwo, devices("a", "b"), "a", spec.Blocked, "device a of pool p is held by claim ns/holder"},
		"many held":            {needsTwo, append(devices("a"), tainted, tainted, tainted, tainted), "a", spec.Blocked, "device b of pool p has taint sick; and 2 more"},
		"tainted":              {needsTwo, append(devices("a"), tainted), "", spec.Blocked, "device b of pool p has taint sick"},
		"too few anyway":       {needsTwo, devices("a"), "a", spec.NotApplicable, "the driver has 1 on this node"},
		"nothing published":    {needsTwo, nil, "", spec.Blocked, "has published no device"},
		"one of two is shared": {needsTwo, append(devices("a"), shared), "", spec.Passed, ""},
		"only shared":          {needsExclusive, []resourceapi.Device{shared}, "", spec.NotApplicable, "needs 1 not shared devices, the driver has 0 on this node"},
		"shared, held":         {needsShared, []resourceapi.Device{shared}, "s", spec.Blocked, "is held by claim ns/holder"},
		"shared, none there":   {needsShared, devices("a"), "a", spec.NotApplicable, "the driver has 0 on this node"},
	} {
		w := (&testDriver{}).served(t, row.published...)
		if row.held != "" {
			holder := claim("holder", result("r", "d", row.held))
			holder.Name, holder.Namespace = "holder", "ns"
			if _, err := w.Client.ResourceV1().ResourceClaims("ns").Create(t.Context(), holder, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(name, func(t *testing.T) { did(t, w, row.check, row.want, row.text) })
	}
}

// A starting driver publishes shortly after opening its socket.
func TestDevicesThatComeLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &testDriver{}
		w := d.served(t)
		time.AfterFunc(w.PublishTimeout/2, func() { d.publish(t, devices("a")...) })
		did(t, w, Check{Meta: spec.Meta{ID: "sanity/needs-one"}, Run: func(t *T) { t.Devices(1) }}, spec.Passed, "")
	})
}
