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

package controller_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A claim with immediate allocation gets the first freed device, regardless of its backoff: with a
// backoff of 15 minutes, pods waited while devices were free.
func TestImmediateClaimGetsWhatIsFreed(t *testing.T) {
	story(t, func(c *cluster) {
		c.driver.give("b", "somebody")
		c.start()
		has, waits := "c", "d"
		if c.node(has) == "" {
			has, waits = waits, has
		}
		if c.node(has) != "a" || c.node(waits) != "" {
			t.Fatalf("%s is allocated on %q, %s on %q", has, c.node(has), waits, c.node(waits))
		}
		time.Sleep(time.Hour) // the next attempt would be 15 minutes away
		c.Must(c.ResourceV1().ResourceClaims("ns").Delete(c.Ctx, has, metav1.DeleteOptions{}))
		time.Sleep(5 * time.Second)
		if c.claim(has) != nil || c.node(waits) != "a" {
			t.Errorf("%s is there: %t, %s is allocated on %q", has, c.claim(has) != nil, waits, c.node(waits))
		}
	}, newClaim("c", immediate), newClaim("d", immediate))
}
