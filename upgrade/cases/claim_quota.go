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

package cases

import (
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// ClaimQuota has an almost exhausted quota of claims and their devices. In each mix of versions the
// last device can be requested, but no more until this claim is gone.
var ClaimQuota = Case{
	Meta: spec.Meta{
		ID:       "upgrade/claim-quota",
		Checks:   "A quota counts claims and their requested devices the same after every step.",
		Requires: []spec.RequirementID{"kep-4381/quota-by-class", "kep-4381/quota-counts-exact"},
		Needs:    spec.Needs{Profile: profiles.TwoDevices()},
	},
	Before: func(t *harness.T, n *Notes) {
		t.CreateClass(nil)
		hard := corev1.ResourceList{}
		for name, number := range quotaNumbers(t, 3, 3) {
			hard[name] = *resource.NewQuantity(number, resource.DecimalSI)
		}
		admission.CreateQuota(t, quota, hard, objects.Claim("beyond", several(t, 4)))
		admission.WaitUsed(t, quota, quotaNumbers(t, 0, 0))
		t.Create(objects.Claim("unused", one(t.DriverName())), objects.Claim("used", one(t.DriverName())))
		t.RunPod(objects.Pod("used", t.Image, "used"))
		n.note(t, "used", "used")
		admission.WaitUsed(t, quota, quotaNumbers(t, 2, 2))
	},
	After: func(t *harness.T, n *Notes, _ path.Step) {
		n.unchanged(t)
		admission.WaitUsed(t, quota, quotaNumbers(t, 2, 2))
		refusedByQuota(t, objects.Claim("beyond", several(t, 2)), "a claim for two devices where one is left")
	},
	Anew: func(t *harness.T, n *Notes, step path.Step) {
		if n.Round++; !concerns(t, step) {
			return
		}
		last := fmt.Sprintf("last-%d", n.Round)
		t.Create(objects.Claim(last, one(t.DriverName())))
		admission.WaitUsed(t, quota, quotaNumbers(t, 3, 3))
		refusedByQuota(t, objects.Claim("beyond", objects.Request("req", "of-another-class")), "a claim of another class where no claim is left")
		deleteClaim(t, last)
		admission.WaitUsed(t, quota, quotaNumbers(t, 2, 2))
	},
	Gone: func(t *harness.T, _ *Notes) {
		end(t, "used")
		deleteClaim(t, "unused")
		admission.WaitUsed(t, quota, quotaNumbers(t, 0, 0))
	},
}

// quotaNumbers returns a quota's counts of claims and of devices of the case's class.
func quotaNumbers(t *harness.T, claims, devices int64) map[corev1.ResourceName]int64 {
	return map[corev1.ResourceName]int64{
		"count/resourceclaims.resource.k8s.io":                              claims,
		corev1.ResourceName(t.DriverName() + corev1.ResourceClaimsPerClass): devices,
	}
}

// several returns a request for a number of devices.
func several(t *harness.T, count int64) resourceapi.DeviceRequest {
	r := one(t.DriverName())
	r.Exactly.Count = count
	return r
}

func refusedByQuota(t *harness.T, claim *resourceapi.ResourceClaim, what string) {
	_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Create(t.Context(), claim, metav1.CreateOptions{})
	t.Expect(apierrors.IsForbidden(err)).To(gomega.BeTrue(), "%s is refused as forbidden: %v", what, err)
	t.Expect(err).To(gomega.MatchError(gomega.ContainSubstring("exceeded quota: "+quota)), "why %s is refused", what)
}
