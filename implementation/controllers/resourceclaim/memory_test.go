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

package resourceclaim

import (
	"testing"
	"testing/synctest"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestCreatedClaims(t *testing.T) {
	claim := func(uid types.UID) *resourceapi.ResourceClaim {
		return &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{UID: uid, OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "Pod", Name: "pod", UID: "pod", Controller: new(true)}}}}
	}
	synctest.Test(t, func(t *testing.T) {
		created := newCreatedClaims()
		expect := func(what string, n int) {
			t.Helper()
			if got := len(created.of("pod")); got != n {
				t.Errorf("%s: %d claims, want %d", what, got, n)
			}
		}
		created.add("pod", claim("a"))
		created.add("pod", claim("b"))
		expect("created", 2)
		created.seen(claim("a"))
		created.seen(&resourceapi.ResourceClaim{})
		expect("one was seen", 1)
		created.seen(claim("c"))
		created.add("pod", claim("c"))
		expect("one was seen before its creation was known", 1)
		time.Sleep(2 * awaited)
		expect("not believed in forever", 0)
		created.add("pod", claim("d"))
		created.forget("pod")
		expect("the pod is gone", 0)
		if len(created.byPod) != 0 {
			t.Errorf("left is %v", created.byPod)
		}
	})
}
