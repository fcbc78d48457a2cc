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

package app

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
)

// candidate returns a process's election.
func candidate(t *testing.T, client *fake.Clientset, id string) *election {
	t.Helper()
	o, err := newOptions(controllerManager())
	if err != nil {
		t.Fatal(err)
	}
	return &election{
		config: &config{generic: *o.generic.GenericControllerManagerConfiguration},
		health: leaderelection.NewLeaderHealthzAdaptor(leaseTolerance),
		lock: &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: name},
			Client: client.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: id}},
	}
}

// The next leader starts soon after its predecessor has finished its work, and not before.
func TestLeadershipIsHandedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := apitest.New()
		ctx, stop := context.WithCancel(t.Context())
		var finished, started time.Time
		first := make(chan error)
		go func() {
			first <- candidate(t, client, "first").run(ctx, func(ctx context.Context) error {
				<-ctx.Done()
				time.Sleep(5 * time.Second)
				finished = time.Now()
				return nil
			})
		}()
		time.Sleep(3 * time.Second)
		second := make(chan error)
		next, stopNext := context.WithCancel(t.Context())
		go func() {
			second <- candidate(t, client, "second").run(next, func(ctx context.Context) error {
				started = time.Now()
				<-ctx.Done()
				return errShutdown
			})
		}()
		time.Sleep(time.Minute)
		stop()
		if err := <-first; err != nil {
			t.Error(err)
		}
		time.Sleep(10 * time.Second)
		stopNext()
		if err := <-second; !errors.Is(err, errShutdown) {
			t.Errorf("got %v", err)
		}
		if gap := started.Sub(finished); gap < 0 || gap > 8*time.Second {
			t.Errorf("between the two are %s", gap)
		}
	})
}

func TestLeadershipThatIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := apitest.New()
		e := candidate(t, client, "first")
		go func() {
			time.Sleep(time.Minute + time.Second) // between two renewals, to avoid a conflict with the update
			leases := client.CoordinationV1().Leases("kube-system")
			lease, err := leases.Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			lease = lease.DeepCopy()
			lease.Spec.HolderIdentity = new("somebody else")
			lease.Spec.RenewTime = &metav1.MicroTime{Time: time.Now().Add(time.Hour)}
			if _, err := leases.Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
				t.Error(err)
			}
		}()
		stopped := false
		// A process that misses the loss must not run forever.
		limited, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		err := e.run(limited, func(ctx context.Context) error {
			<-ctx.Done()
			stopped = true
			return nil
		})
		if !errors.Is(err, errLost) || !stopped {
			t.Errorf("got %v, controllers were stopped: %t", err, stopped)
		}
	})
}

func TestWaitingForTheLeaseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := apitest.New()
		holding, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			done <- candidate(t, client, "first").run(holding, func(ctx context.Context) error { <-ctx.Done(); return nil })
		}()
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		err := candidate(t, client, "second").run(ctx, func(context.Context) error { t.Error("two lead"); return nil })
		if err != nil || time.Since(began) > time.Minute {
			t.Errorf("got %v after %s", err, time.Since(began))
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// If work cannot start, the process ends and another may try.
func TestWorkThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := apitest.New()
		broken := errors.New("broken")
		if err := candidate(t, client, "first").run(t.Context(), func(context.Context) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		lease, err := client.CoordinationV1().Leases("kube-system").Get(t.Context(), name, metav1.GetOptions{})
		if err != nil || *lease.Spec.HolderIdentity != "" {
			t.Errorf("the lease is %v, %v", lease, err)
		}
	})
}

func TestWithoutElection(t *testing.T) {
	c, err := parse(t, "--leader-elect=false", "--secure-port=0", "--kubeconfig="+kubeconfig(t, "https://127.0.0.1:1")).config()
	if err != nil {
		t.Fatal(err)
	}
	e, err := newElection(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	worked := false
	if err := e.run(t.Context(), func(context.Context) error { worked = true; return nil }); err != nil || !worked {
		t.Errorf("worked: %t, %v", worked, err)
	}
	if checks := e.checks(); len(checks) != 0 {
		t.Errorf("checks %v", checks)
	}
	c.generic.LeaderElection.LeaderElect = true
	e, err = newElection(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.checks()) != 1 {
		t.Error("the election is not checked")
	}
}
