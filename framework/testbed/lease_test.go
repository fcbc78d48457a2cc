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

package testbed

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"
)

func TestReserveKeepsOthersAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset()
		release, err := reserve(t.Context(), client, "ns")
		if err != nil {
			t.Fatal(err)
		}
		// As long as the holder renews, nobody else gets in.
		time.Sleep(5 * leaseTime)
		_, err = reserve(t.Context(), client, "ns")
		if !errors.Is(err, ErrReserved) || !strings.Contains(err.Error(), "process ") {
			t.Errorf("got %v", err)
		}
		if err := release(t.Context()); err != nil {
			t.Fatal(err)
		}
		again, err := reserve(t.Context(), client, "ns")
		if err != nil {
			t.Fatal(err)
		}
		if err := again(t.Context()); err != nil {
			t.Fatal(err)
		}
		// The namespace is gone before the lease is released: no error.
		if err := again(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestReserveTakesOverFromARunThatWasKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset()
		if err := acquire(t.Context(), client, leaseOf(client, "ns", "a run that is killed now")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(leaseTime - time.Second)
		if _, err := reserve(t.Context(), client, "ns"); !errors.Is(err, ErrReserved) || !strings.Contains(err.Error(), "try again in 1s") {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Second)
		release, err := reserve(t.Context(), client, "ns")
		if err != nil {
			t.Fatal(err)
		}
		lease, err := client.CoordinationV1().Leases("ns").Get(t.Context(), leaseName, metav1.GetOptions{})
		if err != nil || !strings.HasPrefix(*lease.Spec.HolderIdentity, "process ") {
			t.Errorf("%v, %v", lease, err)
		}
		if err := release(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// A suspended machine or process must not renew or remove a lease taken over by another run meanwhile.
func TestReserveThatWasTakenOverIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset()
		release, err := reserve(t.Context(), client, "ns")
		if err != nil {
			t.Fatal(err)
		}
		leases := client.CoordinationV1().Leases("ns")
		lease, err := leases.Get(t.Context(), leaseName, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		renewed := metav1.NowMicro()
		lease.Spec.HolderIdentity, lease.Spec.RenewTime = ptr.To("another run"), &renewed
		if _, err := leases.Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * leaseRenewal)
		if err := release(t.Context()); err == nil || !strings.Contains(err.Error(), "taken over by another run") {
			t.Errorf("got %v", err)
		}
		lease, err = leases.Get(t.Context(), leaseName, metav1.GetOptions{})
		if err != nil || *lease.Spec.HolderIdentity != "another run" || !lease.Spec.RenewTime.Equal(&renewed) {
			t.Errorf("changed it: %v, %v", lease, err)
		}
	})
}
