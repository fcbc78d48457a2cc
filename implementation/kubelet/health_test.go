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

package kubelet_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	healthv1 "k8s.io/kubelet/pkg/apis/dra-health/v1"
	drav1 "k8s.io/kubelet/pkg/apis/dra/v1"

	"github.com/dra-conformance/dratest/implementation/kubelet"
)

const (
	healthy   = healthv1.HealthStatus_HEALTHY
	unhealthy = healthv1.HealthStatus_UNHEALTHY
)

// reportHealth makes a driver report the health of its device for each claim.
func (d *driver) reportHealth(health healthv1.HealthStatus, message string, claims ...string) {
	d.t.Helper()
	response := &healthv1.NodeWatchResourcesResponse{}
	for _, name := range claims {
		response.Devices = append(response.Devices, &healthv1.DeviceHealth{Health: health, Message: message,
			Device: &healthv1.DeviceIdentifier{PoolName: "pool", DeviceName: "dev-" + name}})
	}
	d.send(response)
}

func (d *driver) send(response *healthv1.NodeWatchResourcesResponse) {
	d.t.Helper()
	select {
	case d.reports <- response:
	case <-time.After(20 * time.Second):
		d.t.Fatal("nobody watches health")
	}
}

// updated waits for pods in need of a status update.
func (w *world) updated(want ...types.UID) {
	w.t.Helper()
	select {
	case pods := <-w.manager.Updates():
		w.equal("updates", fmt.Sprint(pods), fmt.Sprint(want))
	case <-time.After(20 * time.Second):
		w.t.Fatal("no update")
	}
}

// status is the user-visible status: "container name: id=health message".
func (w *world) status(p *corev1.Pod) string {
	w.t.Helper()
	s := &corev1.PodStatus{}
	for _, container := range p.Spec.InitContainers {
		s.InitContainerStatuses = append(s.InitContainerStatuses, corev1.ContainerStatus{Name: container.Name})
	}
	for _, container := range p.Spec.Containers {
		s.ContainerStatuses = append(s.ContainerStatuses, corev1.ContainerStatus{Name: container.Name})
	}
	s.ContainerStatuses = append(s.ContainerStatuses, corev1.ContainerStatus{Name: "unknown"})
	// Twice, to check idempotency.
	w.manager.UpdateStatus(w.ctx, p, s)
	w.manager.UpdateStatus(w.ctx, p, s)
	var all []string
	for _, container := range append(s.InitContainerStatuses, s.ContainerStatuses...) {
		for _, resource := range container.AllocatedResourcesStatus {
			text := container.Name + " " + string(resource.Name) + ":"
			for _, health := range resource.Resources {
				text += " " + string(health.ResourceID) + "=" + string(health.Health)
				if health.Message != nil {
					text += " " + *health.Message
				}
			}
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}

func (w *world) watched(p *corev1.Pod, claims ...string) *driver {
	w.t.Helper()
	a := w.driver("a", "v1.DRAPlugin", "v1.DRAResourceHealth")
	for _, name := range claims {
		w.reserve(claim(name, "a"), p)
	}
	w.prepare(p)
	return a
}

func TestHealthOfDevices(t *testing.T) {
	w := newWorld(t)
	p := pod("p", "c")
	a := w.watched(p, "c")
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Unknown")
	a.reportHealth(healthy, "", "c", "other")
	w.updated("p")
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Healthy")
	a.reportHealth(unhealthy, "on fire", "c")
	w.updated("p")
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Unhealthy on fire")

	// A report without a listener is dropped.
	w.clock.Step(31 * time.Second)
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Unknown")
	a.reportHealth(unhealthy, "on fire", "c")
	w.updated("p")
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Unhealthy on fire")

	// Devices missing in reports are forgotten after a timeout.
	w.clock.Step(31 * time.Second)
	a.reportHealth(healthy, "", "other")
	w.updated("p")
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Unknown")
}

func TestHealthGates(t *testing.T) {
	w := newWorld(t)
	w.gates.ResourceHealthStatusMessage = false
	w.restart()
	p := pod("p", "c")
	a := w.watched(p, "c")
	a.reportHealth(unhealthy, "on fire", "c")
	w.updated("p")
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Unhealthy")
	w.gates.ResourceHealthStatus = false
	w.restart(a)
	w.equal("status", w.status(p), "")
}

// kubernetes#139939: init containers and extended resources have health, too.
func TestHealthOfInitContainersAndExtendedResources(t *testing.T) {
	w := newWorld(t)
	p := withExtended(pod("p", "c", "d"), "ext", "req")
	p.Spec.InitContainers = []corev1.Container{{Name: "init", Resources: corev1.ResourceRequirements{
		Claims: []corev1.ResourceClaim{{Name: "entry-c", Request: "req"}, {Name: "entry-d", Request: "none"}}}}}
	a := w.watched(p, "c", "d", "ext")
	a.reportHealth(healthy, "", "c", "ext")
	w.updated("p")
	w.equal("status", w.status(p), "init claim:entry-c/req: a/class=c=Healthy, "+
		"main claim:entry-c: a/class=c=Healthy, main claim:entry-d: a/class=d=Unknown, main claim:ext/req: a/class=ext=Healthy")
}

// Entries of the device manager stay; old ones of the same name are replaced.
func TestStatusKeepsOtherResources(t *testing.T) {
	w := newWorld(t)
	p := pod("p", "c")
	w.watched(p, "c")
	s := &corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "main", AllocatedResourcesStatus: []corev1.ResourceStatus{
		{Name: "example.com/fpga", Resources: []corev1.ResourceHealth{{ResourceID: "0", Health: "Healthy"}}},
		{Name: "claim:entry-c", Resources: []corev1.ResourceHealth{{ResourceID: "old", Health: "Healthy"}}}}}}}
	w.manager.UpdateStatus(w.ctx, p, s)
	got := s.ContainerStatuses[0].AllocatedResourcesStatus
	if len(got) != 2 || got[0].Name != "example.com/fpga" || got[1].Resources[0].ResourceID != "a/class=c" {
		t.Errorf("wrong status: %v", got)
	}
	// A request without devices has no entry.
	p.Spec.Containers[0].Resources.Claims[0].Request = "none"
	got[1].Name = "claim:entry-c/none"
	w.manager.UpdateStatus(w.ctx, p, s)
	if got := s.ContainerStatuses[0].AllocatedResourcesStatus; len(got) != 1 {
		t.Errorf("wrong status: %v", got)
	}
	p.Spec.ResourceClaims[0].ResourceClaimName = nil
	w.manager.UpdateStatus(w.ctx, p, s)
	if got := s.ContainerStatuses[0].AllocatedResourcesStatus; len(got) != 1 {
		t.Errorf("wrong status: %v", got)
	}
}

// When the driver stops reporting, devices become Unknown and the kubelet reconnects.
func TestDriverStopsReporting(t *testing.T) {
	w := newWorld(t)
	p := pod("p", "c")
	a := w.watched(p, "c")
	w.connected("a")
	a.reportHealth(unhealthy, "", "c")
	w.updated("p")
	reports := make(chan *healthv1.NodeWatchResourcesResponse)
	old := a.reports
	a.mu.Lock()
	a.reports = reports
	a.mu.Unlock()
	close(old)
	w.updated("p")
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Unknown")
	w.later(5*time.Second, 2)
	a.reportHealth(healthy, "", "c")
	w.updated("p")
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Healthy")
	w.manager.DeRegisterPlugin(w.ctx, "a", a.socket)
	w.updated("p")
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Unknown")
}

// An instance ending during a rolling update does not make devices Unknown.
func TestHealthDuringRollingUpdate(t *testing.T) {
	w := newWorld(t)
	p := pod("p", "c")
	old := w.watched(p, "c")
	next := w.newDriver("a")
	w.register(next, "v1.DRAPlugin", "v1.DRAResourceHealth")
	old.reportHealth(healthy, "", "c")
	w.updated("p")
	next.reportHealth(healthy, "", "c")
	w.manager.DeRegisterPlugin(w.ctx, "a", old.socket)
	next.reportHealth(unhealthy, "", "c")
	w.updated("p")
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Unhealthy")
}

func TestDriverDoesNotReport(t *testing.T) {
	w := newWorld(t)
	a := w.newDriver("a")
	asked := make(chan struct{}, 10)
	a.watch = func() error {
		asked <- struct{}{}
		return status.Error(codes.Unimplemented, "no health here")
	}
	w.register(a, "v1.DRAPlugin", "v1alpha1.DRAResourceHealth", "v1.DRAResourceHealth")
	<-asked
	w.connected("a")
	w.clock.Step(time.Minute)
	w.connected("a")
	if len(asked) != 0 {
		t.Error("driver was asked again")
	}
}

func TestDriverReportsWithOldService(t *testing.T) {
	w := newWorld(t)
	p := pod("p", "c")
	a := w.driver("a", "v1.DRAPlugin", "v1alpha1.DRAResourceHealth")
	w.reserve(claim("c", "a"), p)
	w.prepare(p)
	a.reportHealth(unhealthy, strings.Repeat("ä", 1000), "c")
	w.updated("p")
	if got := w.status(p); !strings.HasPrefix(got, "main claim:entry-c: a/class=c=Unhealthy ää") || !strings.HasSuffix(got, "ä...") || strings.ContainsRune(got, '\uFFFD') {
		t.Errorf("wrong status: %s", got)
	}
}

// Health from before a restart is valid until it expires.
func TestHealthAfterRestart(t *testing.T) {
	w := newWorld(t)
	p := pod("p", "c")
	a := w.watched(p, "c")
	a.reportHealth(healthy, "", "c")
	w.updated("p")
	w.restart(a)
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Healthy")
	w.clock.Step(31 * time.Second)
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Unknown")
}

// The clock was set back while the kubelet was down: an old report is not trusted for longer than
// usual.
func TestHealthAfterRestartWithAnEarlierClock(t *testing.T) {
	w := newWorld(t)
	p := pod("p", "c")
	a := w.watched(p, "c")
	a.reportHealth(healthy, "", "c")
	w.updated("p")
	w.stop()
	w.clock.SetTime(w.clock.Now().Add(-time.Hour))
	w.start()
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Healthy")
	w.clock.Step(31 * time.Second)
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Unknown")
}

// The kubelet writes this file, too. Missing fields have their defaults.
func TestHealthFileOfTheKubelet(t *testing.T) {
	w := newWorld(t)
	p := pod("p", "c")
	w.watched(p, "c")
	w.cancel()
	file := fmt.Sprintf(`{"a":{"Devices":{"pool/dev-c":{"PoolName":"pool","DeviceName":"dev-c","Health":"Unhealthy","LastUpdated":%q,"HealthCheckTimeout":0,"Message":"hot"}}}}`,
		w.clock.Now().Format(time.RFC3339))
	w.write(filepath.Join(w.stateDir, "dra_health_state"), []byte(file))
	w.start()
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Unhealthy hot")
	w.stop()
	w.write(filepath.Join(w.stateDir, "dra_health_state"), []byte("{"))
	w.start()
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Unknown")
}

// Without CDI devices, the device name is used. There are no duplicates.
func TestResourceIDs(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	a.onPrepare(func(context.Context, *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		return &drav1.NodePrepareResourcesResponse{Claims: prepared{"c": {Devices: []*drav1.Device{
			{PoolName: "pool", DeviceName: "0"},
			{PoolName: "pool", DeviceName: "1", CdiDeviceIds: []string{"a/class=all"}},
			{PoolName: "pool", DeviceName: "2", CdiDeviceIds: []string{"a/class=all", "a/class=2"}},
		}}}}, nil
	})
	w.prepare(p)
	w.equal("status", w.status(p), "main claim:entry-c: a/pool/0=Unknown a/class=all=Unknown")
}

// A driver inventing devices does not fill the memory. A device beyond the limit still counts.
func TestTooManyDevices(t *testing.T) {
	w := newWorld(t)
	p := pod("p", "c", "d")
	a := w.watched(p, "c", "d")
	if err := os.Mkdir(filepath.Join(w.stateDir, "dra_health_state.tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	a.reportHealth(unhealthy, "", "d")
	w.updated("p")
	response := &healthv1.NodeWatchResourcesResponse{}
	for i := range kubelet.MaxDevices - 1 {
		response.Devices = append(response.Devices, &healthv1.DeviceHealth{Device: &healthv1.DeviceIdentifier{DeviceName: fmt.Sprint(i)}})
	}
	a.send(response)
	a.reportHealth(healthy, "", "c", "d")
	w.updated("p")
	w.equal("status", w.status(p), "main claim:entry-c: a/class=c=Unknown, main claim:entry-d: a/class=d=Healthy")
}

// Updates are not lost without a receiver, and do not pile up: seven reports lead to one update
// waiting to be received, one after that, and the last.
func TestUpdatesDoNotPileUp(t *testing.T) {
	w := newWorld(t)
	p, q := pod("p", "c"), pod("q", "d")
	w.reserve(claim("d", "a"), q)
	a := w.watched(p, "c")
	w.prepare(q)
	for range 3 {
		a.reportHealth(healthy, "", "c", "d")
		a.reportHealth(unhealthy, "", "c", "d")
	}
	a.reportHealth(unhealthy, "last", "c", "d")
	w.eventually("all is in", func() bool { return strings.Contains(w.status(q), "last") })
	seen := make(map[types.UID]int)
	ctx, cancel := context.WithTimeout(w.ctx, 100*time.Millisecond)
	defer cancel()
	for ctx.Err() == nil {
		select {
		case pods := <-w.manager.Updates():
			for _, uid := range pods {
				seen[uid]++
			}
		case <-ctx.Done():
		}
	}
	if seen["p"] == 0 || seen["q"] == 0 || seen["p"] > 3 {
		t.Errorf("updates: %v", seen)
	}
}
