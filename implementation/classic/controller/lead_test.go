package controller_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/klog/v2/ktesting"

	"github.com/dra-conformance/dratest/implementation/classic/controller"
	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
)

func TestOneLeadsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, ctx := ktesting.NewTestContext(t)
		client := apitest.New()
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
		apitest.Fail(client, "update", "leases", manyErrors()...)
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

func manyErrors() []error {
	errs := make([]error, 50)
	for i := range errs {
		errs[i] = errors.New("no route to host")
	}
	return errs
}

func TestLeaseWithoutIdentity(t *testing.T) {
	if err := controller.Lead(t.Context(), apitest.New(), controller.Lease{}, func(context.Context) {}); err == nil {
		t.Error("want an error")
	}
}
