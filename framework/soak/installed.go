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

package soak

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/follow"
	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/soak/driver"
	"github.com/dra-conformance/dratest/framework/soak/load"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Installed is a driver installed by its vendor, measured under load. Its faults repeat in turns for the duration.
type Installed struct {
	// Finder finds the driver in the cluster.
	Finder Finder
	// Limits are its declared costs by measurement.
	Limits map[string]float64
	// Rate is the number of pods to create per minute. With Fit it is lower if there are few devices.
	Rate float64
	Fit  bool
}

// Finder finds an installed driver.
type Finder interface {
	Find(ctx context.Context, b *testbed.Testbed) (spec.DriverUnderTest, error)
}

const (
	// stuckEvery is the interval between checks for stuck calls.
	stuckEvery = 5 * time.Second
	// heldShare is the minimum share of the rate to reach.
	heldShare = 0.75
	// mostRate is the maximum rate, deviceRate what a device allows, with pods of up to eight seconds and their ends.
	mostRate   = 6000
	deviceRate = 4
	// mostAtOnce and leastAtOnce bound the number of pods at a time.
	mostAtOnce  = 1000
	leastAtOnce = 4
)

// installed is the driver under load.
type installed struct {
	Installed

	found   spec.DriverUnderTest
	sampler *driver.Sampler
	// devices counts the devices published by node before the load.
	devices map[string]int
	began   time.Time
	writes  int
	moments []driver.Moment
}

// prepareInstalled finds the driver, and creates the objects for its pods.
func (b *Bed) prepareInstalled(ctx context.Context) (err error) {
	o := b.options.Installed
	err = b.Progress.Step("find the driver, with a pod on each of its nodes", 0, func() (err error) {
		b.found, err = o.Finder.Find(ctx, b.Testbed)
		return err
	})
	if err != nil {
		return err
	}
	if b.found.Devices == 0 {
		return fmt.Errorf("a node of driver %s has no free device: wait until other pods using its devices have ended", b.found.Driver)
	}
	o.fit(b.found.Devices * len(b.found.Nodes))
	if b.options.AtOnce == 0 {
		b.options.AtOnce = min(mostAtOnce, max(leastAtOnce, 2*b.found.Devices*len(b.found.Nodes)))
	}
	if err := b.Install(ctx, b.found.Nodes); err != nil {
		return err
	}
	if b.agents, err = b.parts.Agents.Connect(ctx, b.REST); err != nil {
		return err
	}
	return b.CreateObjects(ctx, load.OfDriver(b.found.Devices, b.found.Features[spec.DriverSharedClaim]))
}

// fit lowers the rate to what a number of devices allows.
func (i *Installed) fit(devices int) {
	if i.Fit {
		i.Rate = min(i.Rate, deviceRate*float64(devices))
	}
}

// namesOf are the names for pods with devices of an installed driver.
func (b *Bed) namesOf() load.Names {
	w := b.found.WorkloadFor(nil)
	image := b.options.PodImage
	if b.found.Workload.Image != "" {
		image = b.found.Workload.Image
	}
	return load.Names{Driver: b.found.Driver, Image: image, Class: b.found.Class, Selectors: b.found.Selectors, Present: w.Present, Absent: w.Absent}
}

// workers are the nodes with pods.
func (b *Bed) workers() []string {
	if b.options.Installed != nil {
		return b.found.Nodes
	}
	return b.Target.Workers()
}

func (s *soaking) startInstalled() {
	b := s.bed
	now := time.Now()
	s.installed = &installed{
		Installed: *b.options.Installed, found: b.found, began: now,
		sampler: driver.NewSampler(b.agents, b.found.Driver, b.Namespace, b.found.Nodes, now),
	}
}

// observeInstalled measures the driver until ctx ends.
func (s *soaking) observeInstalled(ctx context.Context) (err error) {
	if s.installed.devices, err = s.publishedDevices(ctx); err != nil {
		return err
	}
	s.all.Go(func() {
		if err := s.installed.sampler.Run(ctx); err != nil {
			s.findings.problem("%v", err)
		}
	})
	s.all.Go(func() {
		follow.Follower[*resourceapi.ResourceSlice]{
			Source: follow.From[*resourceapi.ResourceSlice](s.bed.Client.ResourceV1().ResourceSlices(), metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + s.installed.found.Driver}),
			Do:     s.bed.retry.request,
			See: func(state follow.State[*resourceapi.ResourceSlice]) {
				if state.Listed.IsZero() {
					s.mutex.Lock()
					s.installed.writes++
					s.mutex.Unlock()
				}
			},
			Broke: func(err error, _ time.Time) {
				s.findings.problem("the watch of slices broke, writes may have been missed: %v", err)
			},
		}.Run(ctx)
	})
	s.all.Go(func() {
		wait.UntilWithContext(ctx, func(context.Context) {
			for _, call := range s.stuck(s.bed.options.Patience) {
				s.findings.add([]audit.Violation{call.Violation()})
			}
		}, stuckEvery)
	})
	return nil
}

// stuck returns the calls that have not succeeded for longer than patience.
func (s *soaking) stuck(patience time.Duration) []driver.Stuck {
	calls, _, _ := s.installed.sampler.Seen()
	return driver.StuckAt(time.Now(), patience, calls, s.uses.present())
}

// happened records a fault on a node.
func (s *soaking) happened(component, node string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.installed.moments = append(s.installed.moments, driver.Moment{Seconds: time.Since(s.installed.began).Seconds(), What: component, Node: node})
	if component == spec.Kubelet {
		s.installed.sampler.Renew(node)
	}
}

func (s *soaking) publishedDevices(ctx context.Context) (map[string]int, error) {
	list, err := s.watcher.ListSlices(ctx)
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	for _, d := range pools.Devices(s.installed.found.Driver, list, nil) {
		count[d.Node]++
	}
	return count, nil
}

// judgeInstalled checks for leftovers of the load's claims on the nodes.
func (s *soaking) judgeInstalled(ctx context.Context) error {
	found, err := lasting(ctx, s.bed.options.Patience, func(ctx context.Context) ([]audit.Violation, error) {
		now, err := s.publishedDevices(ctx)
		if err != nil {
			return nil, err
		}
		found := lost(s.installed.devices, now)
		for _, node := range s.installed.found.Nodes {
			prepared, err := agentapi.ReadPrepared(ctx, s.bed.agents, node)
			if err != nil {
				return nil, err
			}
			for _, c := range prepared {
				if c.Namespace == s.bed.Namespace {
					found = append(found, leftOn(audit.CheckpointLeft, node, c.ClaimUID, "is still in the kubelet's checkpoint"))
				}
			}
			specs, err := s.bed.agents.ListSpecs(ctx, &agentapi.NodeRequest{Node: node})
			if err != nil {
				return nil, fmt.Errorf("read the CDI files of node %s: %w", node, err)
			}
			found = append(found, leftSpecs(node, specs.GetFiles(), s.uses.all())...)
		}
		return found, nil
	})
	if err != nil {
		return err
	}
	s.findings.add(found)
	return nil
}

// lost returns nodes with fewer devices than before.
func lost(before, now map[string]int) (found []audit.Violation) {
	for _, node := range slices.Sorted(maps.Keys(before)) {
		if now[node] < before[node] {
			found = append(found, audit.Violation{Rule: audit.DevicesLost, Subject: node, Text: fmt.Sprintf("node %s has %d published device(s), before the load it had %d", node, now[node], before[node])})
		}
	}
	return found
}

// leftSpecs returns the claims with a CDI file on a node.
func leftSpecs(node string, files map[string][]byte, claims []types.UID) (found []audit.Violation) {
	for _, path := range slices.Sorted(maps.Keys(files)) {
		text := path + "\n" + string(files[path])
		for _, uid := range claims {
			if strings.Contains(text, string(uid)) {
				found = append(found, leftOn(audit.StillPrepared, node, uid, "is still prepared by the driver: CDI file "+path))
			}
		}
	}
	return found
}

func leftOn(rule audit.Rule, node string, uid types.UID, text string) audit.Violation {
	subject := fmt.Sprintf("claim %s on node %s", uid, node)
	return audit.Violation{Rule: rule, Subject: subject, Text: subject + " " + text}
}

// measure computes and judges the results of the driver, and adds the findings.
func (s *soaking) measure() *driver.Results {
	calls, samples, unmeasured := s.installed.sampler.Seen()
	lives := s.tracker.all()
	s.mutex.Lock()
	m := driver.Measured{Began: s.installed.began, Took: s.loaded, Calls: calls, Samples: samples, SliceWrites: s.installed.writes}
	moments := slices.Clone(s.installed.moments)
	s.mutex.Unlock()
	for _, l := range lives {
		if !l.started.IsZero() && !l.scheduled.IsZero() {
			m.Starts = append(m.Starts, driver.Start{At: l.scheduled, Took: l.started.Sub(l.scheduled), Claim: l.kind != load.NoClaim})
		}
	}
	r := m.Results()
	r.Driver, r.Nodes, r.Rate, r.Achieved, r.Faults = s.installed.found.Driver, s.installed.found.Nodes, s.installed.Rate, perMinute(lives), moments
	s.findings.add(r.Judge(s.installed.Limits))
	for _, p := range unmeasured {
		s.findings.problem("%s", p)
	}
	if r.Achieved < heldShare*r.Rate && len(lives) > 1 {
		s.findings.problem("the nodes did not reach the rate: %.3g pods per minute instead of %.3g, with at most %d pods at a time on %d node(s) with %d free device(s) each: use a lower --rate",
			r.Achieved, r.Rate, s.bed.options.AtOnce, len(r.Nodes), s.installed.found.Devices)
	}
	return &r
}

// perMinute is the rate of created pods.
func perMinute(lives []podTimes) float64 {
	if len(lives) < 2 {
		return 0
	}
	byTime := func(a, b podTimes) int { return a.made.Compare(b.made) }
	took := slices.MaxFunc(lives, byTime).made.Sub(slices.MinFunc(lives, byTime).made)
	return float64(len(lives)-1) / max(took, time.Second).Minutes()
}

// validate returns all problems.
func (i Installed) validate(o Options) error {
	var errs []error
	if i.Rate <= 0 || i.Rate > mostRate {
		errs = append(errs, fmt.Errorf("rate: %g: must be above 0 and at most %d pods per minute", i.Rate, mostRate))
	}
	if o.Duration < time.Minute {
		errs = append(errs, fmt.Errorf("duration: %s: must be at least a minute for an installed driver", o.Duration))
	}
	return errors.Join(errs...)
}

// namespaceOf is the namespace for pods, with the vendor's labels.
func (b *Bed) namespaceOf() *corev1.Namespace {
	m := metav1.ObjectMeta{GenerateName: "dratest-soak-"}
	if b.options.Installed != nil {
		m.Labels, m.Annotations = b.found.Namespaces.Labels, b.found.Namespaces.Annotations
	}
	return spec.Namespace(m)
}
