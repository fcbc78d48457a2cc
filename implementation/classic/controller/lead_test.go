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
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2/ktesting"

	"github.com/dra-conformance/dratest/implementation/classic/controller"
	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
)

func TestOneLeadsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, ctx := ktesting.NewTestContext(t)
		client := apitest.New()
		var away atomic.Bool
		client.PrependReactor("update", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
			return away.Load(), nil, errors.New("no route to host")
		})
		leading := make(chan string, 2)
		compete := func(ctx context.Context, name string) <-chan error {
			result := make(chan error, 1)
			go func() {
				result <- controller.Lead(ctx, client, controller.Lease{Namespace: "ns", Name: "driver", Identity: name}, func(ctx context.Context) {
					leading <- name
					<-ctx.Done()
					time.Sleep(time.Second) // It has something to end.
					<-leading
				})
			}()
			synctest.Wait()
			return result
		}
		first, stopFirst := context.WithCancel(ctx)
		one := compete(first, "one")
		second, stopSecond := context.WithCancel(ctx)
		two := compete(second, "two")
		time.Sleep(time.Minute)
		if len(leading) != 1 {
			t.Fatalf("%d lead", len(leading))
		}
		stopFirst()
		if err := <-one; err != nil {
			t.Errorf("the first: %v", err)
		}
		time.Sleep(10 * time.Second)
		if name := <-leading; name != "two" || len(leading) != 0 {
			t.Errorf("%s leads", name)
		}
		leading <- "two"
		away.Store(true)
		if err := <-two; !errors.Is(err, controller.ErrLeaseLost) {
			t.Errorf("the API server is away, and the leader ends with %v", err)
		}
		stopSecond()
		stopped, stop := context.WithCancel(ctx)
		stop()
		if err := <-compete(stopped, "three"); err != nil || len(leading) != 0 {
			t.Errorf("never leading: %v", err)
		}
	})
}

func TestLeaseWithoutIdentity(t *testing.T) {
	if err := controller.Lead(t.Context(), apitest.New(), controller.Lease{}, func(context.Context) {}); err == nil {
		t.Error("want an error")
	}
}
