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

package outage

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

func slice(driver, node string) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: driver + "-" + node}, Spec: resourceapi.ResourceSliceSpec{
		Driver: driver, NodeName: ptr.To(node), Pool: resourceapi.ResourcePool{Name: node, ResourceSliceCount: 1},
	}}
}

// The downtime of a switch was that of a driver publishing at once, without saying so.
func TestOutagesAreThoseOfEachKindOfDriver(t *testing.T) {
	quick, slow := Instance{"quick", "n", spec.PublishAtOnce, 1}, Instance{"slow", "n", spec.PublishByHelper, 1}
	for name, test := range map[string]struct {
		do        func(remove, restore func(string), fail func(bool))
		low, high Seconds
		back      bool
	}{
		"nothing happens": {func(_, _ func(string), _ func(bool)) { time.Sleep(time.Minute) }, Seconds{}, Seconds{}, true},
		"kubelet restarts": {func(remove, restore func(string), _ func(bool)) {
			remove("quick")
			remove("slow")
			time.Sleep(time.Second)
			restore("quick")
			time.Sleep(30 * time.Second)
			restore("slow")
			time.Sleep(time.Second)
		}, Seconds{1, 31}, Seconds{1.2, 31.2}, true},
		"twice": {func(remove, restore func(string), _ func(bool)) {
			for range 2 {
				remove("slow")
				time.Sleep(5 * time.Second)
				restore("slow")
				time.Sleep(time.Second)
			}
		}, Seconds{0, 5}, Seconds{0, 5.2}, true},
		"goes on": {func(remove, _ func(string), _ func(bool)) {
			remove("slow")
			time.Sleep(5 * time.Second)
		}, Seconds{0, 4.9}, Seconds{0, 5.2}, false},
		"API server away": {func(_, _ func(string), fail func(bool)) {
			fail(true)
			time.Sleep(time.Minute)
			fail(false)
			time.Sleep(time.Second)
		}, Seconds{}, Seconds{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := fake.NewClientset(slice("quick", "n"), slice("slow", "n"), slice("slow", "other"))
				failing := make(chan struct{}, 1)
				client.PrependReactor("list", "resourceslices", func(clienttesting.Action) (bool, runtime.Object, error) {
					return len(failing) > 0, nil, errors.New("connection refused")
				})
				m := Watch(t.Context(), client, []Instance{quick, slow})
				defer m.Stop()
				slices := client.ResourceV1().ResourceSlices()
				test.do(func(driver string) {
					if err := slices.Delete(t.Context(), driver+"-n", metav1.DeleteOptions{}); err != nil {
						t.Error(err)
					}
				}, func(driver string) {
					if _, err := slices.Create(t.Context(), slice(driver, "n"), metav1.CreateOptions{}); err != nil {
						t.Error(err)
					}
				}, func(fail bool) {
					if fail {
						failing <- struct{}{}
						return
					}
					<-failing
				})
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := m.Await(ctx); (err == nil) != test.back {
					t.Errorf("all are back: %v, want %t", err, test.back)
				}
				got := m.Take()
				if got.Over(test.low) != got || got.Over(test.high) != test.high && test.back {
					t.Errorf("got %+v, want %+v to %+v", got, test.low, test.high)
				}
			})
		})
	}
}
