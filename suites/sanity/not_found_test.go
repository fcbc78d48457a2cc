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

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestSaysNotFound: the check failed drivers with the published library on clusters serving only
// resource.k8s.io/v1.
func TestSaysNotFound(t *testing.T) {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "claim", UID: "uid-1"}}
	for why, want := range map[string]bool{
		`get resource claims: resourceclaims.resource.k8s.io "claim" not found`:                          true,
		"get resource claims: retrieve claim ns/claim: the server could not find the requested resource": true,
		"claim uid-1: Not found":                                true,
		"open /etc/driver.conf: not found":                      false,
		"the server could not find the requested file":          false,
		"prepare ns/claim: could not find device gpu-0 in /dev": false,
		"claim: permission denied":                              false,
	} {
		if got := saysNotFound(why, claim); got != want {
			t.Errorf("%q: %t", why, got)
		}
	}
}
