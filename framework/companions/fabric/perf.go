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

package fabric

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/drivers/fabric"
	"github.com/dra-conformance/dratest/framework/companions/fabric/site"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	namespace = metav1.NamespaceDefault
	// perfModels is how many models of devices there are, each with a pool of the workload's
	// devices. Another cluster takes a device of perfChanged of them.
	perfModels, perfChanged = 10, 3
	// perfRefreshes is how often the controller looks at the fabric while nothing changes.
	perfRefreshes = 20
	// perfTakes is how long the fabric needs to attach a device, perfAtOnce how many pods wait
	// for one at a time.
	perfTakes, perfAtOnce = time.Second, 5
	perfPatience          = 3 * time.Minute
)

// Perf measures dra-composable-controller with a workload's devices of each model on simulated
// nodes: how often it writes slices, how long a pod waits once its device is attached, and how
// much memory the controller needs.
func Perf() perf.Scenario { return perf.Scenario{Prepare: preparePerf, Blocks: 1} }

// bench is a control plane with a controller between it and a fabric.
type bench struct {
	perf.Workload

	client     kubernetes.Interface
	pods       *perf.PodTimes
	site       *site.Site
	controller *site.Program
}

func preparePerf(ctx context.Context, s perf.Site) (perf.Measure, error) {
	if s.Devices < 2 || s.Pods > perfModels*(s.Devices-1) {
		return nil, fmt.Errorf("each of %d pods needs a device in addition to those of another cluster", s.Pods)
	}
	program, _, err := images.Local{Progress: s.Progress}.OwnProgram(ctx, "dra-composable-controller")
	if err != nil {
		return nil, err
	}
	f, err := site.Open(ctx, perfFabric(s.Workload))
	s.Later(func(context.Context) error { return f.Close() })
	if err != nil {
		return nil, err
	}
	watching, stop := context.WithCancel(ctx)
	s.Later(func(context.Context) error { stop(); return nil })
	pods, err := perf.WatchPods(watching, s.Client.CoreV1().RESTClient(), namespace)
	if err != nil {
		return nil, err
	}
	controller, err := f.Control(site.Config{
		Program: program, Client: site.Client{Kubeconfig: s.Kubeconfig, Context: s.Context, Token: ours, Driver: perf.DriverName, Fabric: name},
		Bind: true, DetachAfter: time.Hour, Refresh: refresh,
	})
	return bench{s.Workload, s.Client, pods, f, controller}.round, err
}

// perfFabric is the configuration of a fabric with all devices.
func perfFabric(w perf.Workload) fabric.Config {
	config := fabric.Config{
		Clusters:   []fabric.Client{{Name: "this", Token: ours}, {Name: elsewhere, Token: theirs}},
		AdminToken: admin,
		Script:     []fabric.Rule{{Operation: fabric.Attach, Takes: metav1.Duration{Duration: perfTakes}}},
	}
	for i := range perfModels {
		config.Models = append(config.Models, fabric.ModelConfig{Name: model(i), Count: w.Devices})
	}
	return config
}

func model(i int) string { return fmt.Sprintf("model-%d", i) }

func (b bench) round(ctx context.Context) (map[perf.Metric]float64, error) {
	devices := perfModels * b.Devices
	if err := b.awaitSlots(ctx, devices); err != nil {
		return nil, err
	}
	idle, err := b.writes(ctx, perfRefreshes*refresh)
	if err != nil {
		return nil, err
	}
	for i := range perfChanged {
		if _, err := b.site.As(theirs).Attach(ctx, fabric.AttachRequest{Key: model(i), Model: model(i), Node: elsewhere}); err != nil {
			return nil, err
		}
	}
	changed, err := b.writes(ctx, 3*refresh)
	if err != nil {
		return nil, err
	}
	if err := b.awaitSlots(ctx, devices-perfChanged); err != nil {
		return nil, err
	}
	bound, err := b.bind(ctx)
	if err != nil {
		return nil, err
	}
	resident, err := mostResident(b.controller.ID())
	return map[perf.Metric]float64{
		perf.IdleSliceWrites: float64(idle), perf.SliceWrites: float64(changed) / perfChanged,
		perf.AttachedP50: spec.Quantile(bound, 0.5).Seconds(), perf.AttachedMax: spec.Quantile(bound, 1).Seconds(),
		perf.CompanionMemory: float64(resident),
	}, err
}

// awaitSlots waits until so many devices are published.
func (b bench) awaitSlots(ctx context.Context, want int) error {
	got := 0
	err := wait.PollUntilContextTimeout(ctx, refresh/4, perfPatience, true, func(ctx context.Context) (bool, error) {
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
	if _, err := b.client.ResourceV1().DeviceClasses().Create(ctx, objects.Class(perf.ClassName, perf.DriverName), metav1.CreateOptions{}); err != nil {
		return nil, fmt.Errorf("create class: %w", err)
	}
	var mutex sync.Mutex
	seen := map[string]time.Time{} // when pods were bound, by the UIDs of their claims
	group, creating := errgroup.WithContext(ctx)
	group.SetLimit(perfAtOnce)
	for i := range b.Pods {
		group.Go(func() error {
			uid, at, err := b.bindOne(creating, fmt.Sprintf("pod-%d", i), model(i%perfModels))
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
			return nil, fmt.Errorf("no device was attached for claim %s of a bound pod", uid)
		}
		all = append(all, at.Sub(ended))
	}
	return all, nil
}

// bindOne creates a pod with a claim for a device of a model, and waits until it is bound.
func (b bench) bindOne(ctx context.Context, name, model string) (uid string, at time.Time, err error) {
	request := objects.Request("req", perf.ClassName, fmt.Sprintf("device.attributes[%q].model == %q", perf.DriverName, model))
	claim, err := b.client.ResourceV1().ResourceClaims(namespace).Create(ctx, objects.Claim(name, request), metav1.CreateOptions{})
	if err != nil {
		return "", at, err
	}
	if _, err := b.client.CoreV1().Pods(namespace).Create(ctx, objects.Pod(name, "none", name), metav1.CreateOptions{}); err != nil {
		return "", at, err
	}
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, perfPatience, true, func(context.Context) (bool, error) {
		at = b.pods.Of(name).Bound
		return !at.IsZero(), nil
	})
	if err != nil {
		return "", at, fmt.Errorf("wait for pod %s to be bound: %w", name, err)
	}
	return string(claim.UID), at, nil
}

// mostResident is the peak memory of a process in bytes (man 5 proc).
func mostResident(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("read the controller's memory: %w", err)
	}
	return highWater(string(status))
}

// highWater is the peak without file pages: those are of the program itself, 46 of 72 MiB, and the kernel takes them
// back.
func highWater(status string) (bytes int64, err error) {
	peak, err := sizeIn(status, "VmHWM")
	if err != nil {
		return 0, err
	}
	program, err := sizeIn(status, "RssFile")
	return peak - program, err
}

// sizeIn reads a size of /proc/PID/status in bytes.
func sizeIn(status, name string) (size int64, err error) {
	_, rest, found := strings.Cut(status, "\n"+name+":")
	if !found {
		return 0, errors.New("read the controller's memory: the process has ended")
	}
	if _, err := fmt.Sscanf(rest, "%d kB", &size); err != nil {
		return 0, fmt.Errorf("read the controller's memory: %w", err)
	}
	return size << 10, nil
}
