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

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/drivers/fabric"
	"github.com/dra-conformance/dratest/framework/companions/fabric/site"
	"github.com/dra-conformance/dratest/framework/objects"
)

const (
	namespace = "default"
	mib       = 1 << 20
	// mostMemory is what the controller may have.
	mostMemory = 64 * mib
)

// result is what was measured.
type result struct {
	devices, pools, nodes int
	// idle is how often slices were written while nothing changed, after how often once so
	// many pools had changed.
	idle, changed, after int
	refreshes            int
	// bound are the times from when a device was attached until its pod was bound.
	bound []time.Duration
	// resident is the most memory that the controller had, in bytes.
	resident int64
}

func (r result) String() string {
	slices.Sort(r.bound)
	return fmt.Sprintf("%d devices in %d pools, %d nodes: %d writes in %d looks at what has not changed, %d for %d changed pools; "+
		"%d pods, attached to bound: median %s, longest %s; controller %.0f MiB at most",
		r.devices, r.pools, r.nodes, r.idle, r.refreshes, r.after, r.changed,
		len(r.bound), r.at(50), r.at(100), float64(r.resident)/mib)
}

// at is the time that so many of 100 pods do not exceed.
func (r result) at(percent int) time.Duration {
	if len(r.bound) == 0 {
		return 0
	}
	return r.bound[(len(r.bound)*percent+99)/100-1].Round(time.Millisecond)
}

// problems are what speaks against the controller.
func (r result) problems() []string {
	var all []string
	if r.idle > 0 {
		all = append(all, fmt.Sprintf("slices were written %d times although nothing had changed", r.idle))
	}
	if r.after != r.changed {
		all = append(all, fmt.Sprintf("slices were written %d times when %d pools had changed", r.after, r.changed))
	}
	if r.resident > mostMemory {
		all = append(all, fmt.Sprintf("the controller has %d MiB, more than %d", r.resident/mib, mostMemory/mib))
	}
	return all
}

// bench is a control plane with a controller before a fabric.
type bench struct {
	options
	client     kubernetes.Interface
	site       *site.Site
	controller *site.Program
}

func (b bench) run(ctx context.Context) (r result, err error) {
	r = result{devices: b.models * b.devices, pools: b.models, nodes: b.nodes, refreshes: b.refreshes, changed: b.changed}
	if err := b.awaitSlots(ctx, r.devices); err != nil {
		return r, err
	}
	fmt.Fprintf(os.Stderr, "     %d looks at what does not change\n", b.refreshes)
	if r.idle, err = b.writes(ctx, time.Duration(b.refreshes)*refresh); err != nil {
		return r, err
	}
	for i := range b.changed {
		if _, err := b.site.As(theirs).Attach(ctx, fabric.AttachRequest{Key: model(i), Model: model(i), Node: "another"}); err != nil {
			return r, err
		}
	}
	if r.after, err = b.writes(ctx, 3*refresh); err != nil {
		return r, err
	}
	if err := b.awaitSlots(ctx, r.devices-b.changed); err != nil {
		return r, err
	}
	fmt.Fprintf(os.Stderr, "     attach devices for %d pods\n", b.pods)
	if r.bound, err = b.bind(ctx); err != nil {
		return r, err
	}
	r.resident, err = mostResident(b.controller.ID())
	return r, err
}

// awaitSlots waits until so many devices are published.
func (b bench) awaitSlots(ctx context.Context, want int) error {
	got := 0
	err := wait.PollUntilContextTimeout(ctx, refresh/4, patience, true, func(ctx context.Context) (bool, error) {
		list, err := b.client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		got = 0
		for _, s := range list.Items {
			got += len(s.Spec.Devices)
		}
		return got == want, nil
	})
	if err != nil {
		return fmt.Errorf("wait for %d devices to be published, there are %d: %w", want, got, err)
	}
	return nil
}

// writes counts how often slices are written in a time.
func (b bench) writes(ctx context.Context, during time.Duration) (count int, err error) {
	list, err := b.client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	w, err := b.client.ResourceV1().ResourceSlices().Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return 0, err
	}
	defer w.Stop()
	over := time.After(during)
	for {
		select {
		case <-ctx.Done():
			return count, ctx.Err()
		case <-over:
			return count, nil
		case _, open := <-w.ResultChan():
			if !open {
				return count, errors.New("the watch of slices has ended")
			}
			count++
		}
	}
}

// bind has pods get devices, and returns for each how long after the device was attached it
// was seen to be bound.
func (b bench) bind(ctx context.Context) ([]time.Duration, error) {
	if _, err := b.client.ResourceV1().DeviceClasses().Create(ctx, objects.Class(driver, driver), metav1.CreateOptions{}); err != nil {
		return nil, fmt.Errorf("create class: %w", err)
	}
	var mutex sync.Mutex
	seen := map[string]time.Time{} // when pods were bound, by the UIDs of their claims
	group, creating := errgroup.WithContext(ctx)
	group.SetLimit(b.atOnce)
	for i := range b.pods {
		group.Go(func() error {
			uid, at, err := b.bindOne(creating, fmt.Sprintf("pod-%d", i), model(i%b.models))
			mutex.Lock()
			defer mutex.Unlock()
			seen[uid] = at
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("have pods bound: %w", err)
	}
	state, err := b.site.As(admin).State(ctx)
	if err != nil {
		return nil, err
	}
	return sinceAttached(state, seen)
}

// sinceAttached is for each claim how long after the end of its task its pod was bound.
func sinceAttached(state fabric.State, bound map[string]time.Time) ([]time.Duration, error) {
	var all []time.Duration
	for uid, at := range bound {
		var ended time.Time // the claim may have been allocated more than once
		for _, task := range state.Tasks {
			if strings.HasPrefix(task.Key, uid+"/") && task.Phase == fabric.Succeeded && task.Ends.After(ended) {
				ended = task.Ends
			}
		}
		if ended.IsZero() {
			return nil, fmt.Errorf("no device was attached for claim %s, whose pod is bound", uid)
		}
		all = append(all, at.Sub(ended))
	}
	return all, nil
}

// bindOne creates a pod with a claim for a device of a model, and waits until it is bound.
func (b bench) bindOne(ctx context.Context, name, model string) (uid string, at time.Time, err error) {
	request := objects.Request("req", driver, fmt.Sprintf("device.attributes[%q].model == %q", driver, model))
	claim, err := b.client.ResourceV1().ResourceClaims(namespace).Create(ctx, objects.Claim(name, request), metav1.CreateOptions{})
	if err != nil {
		return "", at, err
	}
	w, err := b.client.CoreV1().Pods(namespace).Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		return "", at, err
	}
	defer w.Stop()
	if _, err := b.client.CoreV1().Pods(namespace).Create(ctx, objects.Pod(name, "none", name), metav1.CreateOptions{}); err != nil {
		return "", at, err
	}
	over := time.After(patience)
	for {
		select {
		case <-ctx.Done():
			return "", at, ctx.Err()
		case <-over:
			return "", at, fmt.Errorf("pod %s is not bound", name)
		case event, open := <-w.ResultChan():
			pod, ok := event.Object.(*corev1.Pod)
			if !open || !ok {
				return "", at, errors.New("the watch of pods has ended")
			}
			if pod.Spec.NodeName != "" {
				return string(claim.UID), time.Now(), nil
			}
		}
	}
}

// mostResident is the most memory that a process had, in bytes (man 5 proc).
func mostResident(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("read the controller's memory: %w", err)
	}
	return highWater(string(status))
}

func highWater(status string) (kib int64, err error) {
	_, rest, found := strings.Cut(status, "\nVmHWM:")
	if !found {
		return 0, errors.New("read the controller's memory: the process has ended")
	}
	if _, err := fmt.Sscanf(rest, "%d kB", &kib); err != nil {
		return 0, fmt.Errorf("read the controller's memory: %w", err)
	}
	return kib << 10, nil
}
