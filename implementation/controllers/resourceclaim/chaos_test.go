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

package resourceclaim_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/implementation/claimplan"
)

// chaos is a cluster with random pods, failing calls and crashing controllers.
type chaos struct {
	*cluster
	*rand.Rand
	// calm disables failing calls.
	calm atomic.Bool
	next int
}

// refuse makes every fourth write fail.
func (c *chaos) refuse() {
	var mutex sync.Mutex
	dice := rand.New(rand.NewPCG(c.Uint64(), 0))
	c.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		mutex.Lock()
		defer mutex.Unlock()
		if c.calm.Load() || !slices.Contains([]string{"create", "update", "patch", "delete"}, action.GetVerb()) || dice.IntN(4) > 0 {
			return false, nil, nil
		}
		return true, nil, apierrors.NewServerTimeout(action.GetResource().GroupResource(), action.GetVerb(), 1)
	})
}

// event is a random action of a user, the scheduler, or a power failure.
func (c *chaos) event() {
	name := fmt.Sprintf("pod-%d", c.IntN(5))
	p := c.find(name)
	switch n := c.IntN(8); {
	case n == 0:
		c.start()
	case p == nil:
		c.next++
		made := pod(name, withTemplate("gpu"), withTemplate("net"), withClaim("all", "shared"), func(p *corev1.Pod) { p.UID = types.UID(fmt.Sprint(name, "/", c.next)) })
		_, err := c.CoreV1().Pods("ns").Create(c.Ctx, made, metav1.CreateOptions{})
		c.Must(err)
	case n == 1:
		c.setPhase(name, corev1.PodSucceeded)
	case n == 2:
		c.Must(c.CoreV1().Pods("ns").Delete(c.Ctx, name, metav1.DeleteOptions{}))
		c.collectGarbage()
	default:
		c.schedule(p)
	}
	c.calm.Store(false)
	time.Sleep(time.Duration(c.IntN(20)) * time.Millisecond)
	c.calm.Store(true)
}

func (c *chaos) find(name string) *corev1.Pod {
	p, err := c.CoreV1().Pods("ns").Get(c.Ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	c.Must(err)
	return p.DeepCopy()
}

// schedule allocates and reserves a pod's claims if all exist.
func (c *chaos) schedule(p *corev1.Pod) {
	names := claimplan.ClaimNames(p)
	if len(names) != 3 || p.Spec.NodeName != "" || claimplan.Done(p) {
		return
	}
	for _, name := range names {
		claim, err := c.ResourceV1().ResourceClaims("ns").Get(c.Ctx, name, metav1.GetOptions{})
		if err != nil {
			return
		}
		claim = claim.DeepCopy()
		if !slices.Contains(claim.Finalizers, resourceapi.Finalizer) {
			claim.Finalizers = append(claim.Finalizers, resourceapi.Finalizer)
		}
		claim.Status.Allocation = &resourceapi.AllocationResult{}
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: p.Name, UID: p.UID})
		if _, err := c.ResourceV1().ResourceClaims("ns").Update(c.Ctx, claim, metav1.UpdateOptions{}); err != nil {
			return
		}
	}
	p.Spec.NodeName = "worker"
	_, _ = c.CoreV1().Pods("ns").Update(c.Ctx, p, metav1.UpdateOptions{})
}

func (c *chaos) collectGarbage() {
	for _, claim := range c.claims() {
		owner, ok := claimplan.OwningPod(&claim)
		if !ok {
			continue
		}
		if p := c.find(owner.Name); p == nil || p.UID != owner.UID {
			c.Must(c.ResourceV1().ResourceClaims("ns").Delete(c.Ctx, claim.Name, metav1.DeleteOptions{}))
		}
	}
}

// check verifies the final state.
func (c *chaos) check() {
	used := map[string]bool{"shared": true}
	list, err := c.CoreV1().Pods("ns").List(c.Ctx, metav1.ListOptions{})
	c.Must(err)
	for _, p := range list.Items {
		if claimplan.Done(&p) {
			continue
		}
		names := claimplan.ClaimNames(&p)
		if len(names) != 3 {
			c.Errorf("%s has the claims %v", p.Name, names)
		}
		for _, name := range names {
			used[name] = true
		}
	}
	claims := c.claims()
	if len(claims) != len(used) {
		c.Errorf("there are %d claims, pods use %d", len(claims), len(used))
	}
	for _, claim := range claims {
		if !used[claim.Name] {
			c.Errorf("%s is left", claim.Name)
		}
		for _, consumer := range claim.Status.ReservedFor {
			if p := c.find(consumer.Name); p == nil || p.UID != consumer.UID || claimplan.Done(p) {
				c.Errorf("%s is reserved for %s", claim.Name, consumer.UID)
			}
		}
	}
}

// Despite failures and crashes, no claim is leaked, missing, or reserved for a pod without need for
// it.
func TestClaimsFollowPodsWhateverFails(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			shared := userClaim()
			shared.Status.Allocation = nil
			story(t, func(cluster *cluster) {
				c := &chaos{cluster: cluster, Rand: rand.New(rand.NewPCG(seed, 0))}
				c.calm.Store(true)
				c.refuse()
				c.start()
				for range 60 {
					c.event()
				}
				time.Sleep(time.Hour)
				c.collectGarbage()
				time.Sleep(time.Hour)
				c.check()
				if c.next < 5 {
					c.Errorf("only %d pods", c.next)
				}
			}, template(), shared)
		})
	}
}
