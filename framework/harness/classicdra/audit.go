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

package classicdra

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/audit"
)

// The rules of HeldTwice, AllocatedHeld and Left.
const (
	// HeldForTwo: a classic DRA driver holds a device for two claims.
	HeldForTwo audit.Rule = "held-for-two"
	// NotHeld: a classic driver does not hold the device of a claim for that claim.
	NotHeld audit.Rule = "not-held"
	// LeftHeld: a classic driver holds a device for a deleted claim.
	LeftHeld audit.Rule = "left-held"
	// RecordLeft: the claim of a ClassicClaim is gone.
	RecordLeft audit.Rule = "record-left"
	// SchedulingLeft: the pod of a PodScheduling is gone.
	SchedulingLeft audit.Rule = "scheduling-left"
)

// Observed is a driver that allocates claims itself (KEP-3063), and its cluster.
type Observed struct {
	// Driver is its name.
	Driver string
	// Held are the claims' devices in the driver's records: "pool/device" by claim UID.
	Held   map[string]string
	Claims []resourceapi.ResourceClaim
	// Records are ClassicClaims, Schedulings PodSchedulings.
	Records, Schedulings []unstructured.Unstructured
	Pods                 []corev1.Pod
}

// HeldTwice reports devices held by a driver for two claims. A single read of the driver is enough.
func HeldTwice(held map[string]string) []audit.Violation {
	claims := map[string][]string{}
	for _, uid := range slices.Sorted(maps.Keys(held)) {
		claims[held[uid]] = append(claims[held[uid]], uid)
	}
	var found []audit.Violation
	for device, uids := range claims {
		if len(uids) > 1 {
			found = append(found, audit.Violation{Rule: HeldForTwo, Subject: device + " " + strings.Join(uids, " "),
				Text: fmt.Sprintf("the driver holds device %s for the claims with UIDs %s", device, strings.Join(uids, ", "))})
		}
	}
	return audit.Sorted(found)
}

// AllocatedHeld checks an invariant: a driver holds the devices of claims. It takes a device before it writes the
// allocation, and frees it after. Claims and driver are not read atomically: check twice and use Confirm.
func AllocatedHeld(c Observed) []audit.Violation {
	var found []audit.Violation
	for i := range c.Claims {
		claim := &c.Claims[i]
		for _, r := range ptr.Deref(claim.Status.Allocation, resourceapi.AllocationResult{}).Devices.Results {
			has := r.Pool + "/" + r.Device
			holds, known := c.Held[string(claim.UID)]
			state := fmt.Sprintf("holds %s for it", holds)
			if !known {
				state = "holds nothing for it"
			}
			if r.Driver == c.Driver && holds != has {
				v := audit.About(NotHeld, claim, "has device %s of driver %s, which %s", has, r.Driver, state)
				v.Subject = has
				found = append(found, v)
			}
		}
	}
	return audit.Sorted(found)
}

// Left checks an invariant some time after the deletion of pods and claims: the driver holds
// nothing for them, and its objects about them are gone.
func Left(c Observed) []audit.Violation {
	claims, pods := sets.New[types.UID](), sets.New[types.UID]()
	for i := range c.Claims {
		claims.Insert(c.Claims[i].UID)
	}
	for i := range c.Pods {
		pods.Insert(c.Pods[i].UID)
	}
	var found []audit.Violation
	for uid, device := range c.Held {
		if !claims.Has(types.UID(uid)) {
			found = append(found, audit.Violation{Rule: LeftHeld, Subject: device + " " + uid,
				Text: fmt.Sprintf("the driver holds device %s for a deleted claim, with UID %s", device, uid)})
		}
	}
	for i := range c.Records {
		record := &c.Records[i]
		uid, _, _ := unstructured.NestedString(record.Object, "spec", "claimUID")
		if !claims.Has(types.UID(uid)) {
			phase, _, _ := unstructured.NestedString(record.Object, "status", "phase")
			found = append(found, audit.Violation{Rule: RecordLeft, Evidence: []audit.Object{record},
				Text: fmt.Sprintf("record %s belongs to a deleted claim, with UID %s: phase %q, finalizers %v", klog.KObj(record), uid, phase, record.GetFinalizers())})
		}
	}
	for i := range c.Schedulings {
		scheduling := &c.Schedulings[i]
		owned := slices.ContainsFunc(scheduling.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return pods.Has(o.UID) })
		if !owned {
			found = append(found, audit.Violation{Rule: SchedulingLeft, Evidence: []audit.Object{scheduling},
				Text: fmt.Sprintf("PodScheduling %s belongs to a deleted pod", klog.KObj(scheduling))})
		}
	}
	return audit.Sorted(found)
}
