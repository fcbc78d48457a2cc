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

package monitor

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/follow"
	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/spec"
)

// interval is the interval of time-based checks. Most make no request.
const interval = 5 * time.Second

// Config configures a monitor.
type Config struct {
	// REST leads to the cluster.
	REST *rest.Config
	// Cases are the data of the cases of the run.
	Cases []spec.Meta
	// Made: the cluster was made for the run, so nobody else changes anything. False if a driver was installed in it.
	Made bool
	// Resumed: an earlier process began the run, and may have left a node cordoned.
	Resumed bool
	// SetAside is the node of cases with HoldsNode; restarts there are theirs.
	SetAside string
	// Driver is the driver under test; empty if cases bring their own.
	Driver string
	// Progress returns what cases have done since the last call.
	Progress func() []spec.Progress
	// Found gets each finding once.
	Found func(spec.Finding)
}

// Monitor watches a cluster until Stop is called.
type Monitor struct {
	config   Config
	client   kubernetes.Interface
	requests atomic.Int64
	cpu      time.Duration // of this process and its ended children, when the monitor started
	cancel   context.CancelFunc
	done     sync.WaitGroup

	mutex        sync.Mutex
	cases        cases
	allocations  allocations
	pools        pools
	reservations reservations
	components   components
	before       before
	// reported are the findings so far, by identity.
	reported  map[string]bool
	unwatched []string
}

// Start starts to watch.
func Start(ctx context.Context, c Config) (*Monitor, error) {
	m := newMonitor(c)
	config := rest.CopyConfig(c.REST)
	config.UserAgent = "dratest-monitor"
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counter{&m.requests, next} })
	var err error
	if m.client, err = kube.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("monitor the cluster: %w", err)
	}
	m.begin(ctx)
	return m, nil
}

func newMonitor(c Config) *Monitor {
	return &Monitor{
		config: c, cpu: cpuTime(), cases: newCases(c.Cases, c.SetAside), allocations: newAllocations(), pools: newPools(), reservations: newReservations(),
		components: newComponents(), reported: map[string]bool{},
	}
}

func (m *Monitor) begin(ctx context.Context) {
	ctx, m.cancel = context.WithCancel(ctx)
	m.before = m.existing(ctx)
	m.watch(ctx)
	m.done.Go(func() { wait.UntilWithContext(ctx, m.tick, interval) })
}

func (m *Monitor) watch(ctx context.Context) {
	dra, core := m.client.ResourceV1(), m.client.CoreV1()
	every := metav1.ListOptions{}
	start(ctx, m, "resourceclaims", follow.From[*resourceapi.ResourceClaim](dra.ResourceClaims(metav1.NamespaceAll), every), m.seeClaims)
	start(ctx, m, "resourceslices", follow.From[*resourceapi.ResourceSlice](dra.ResourceSlices(), every), m.seeSlices)
	start(ctx, m, "pods of kube-system", follow.From[*corev1.Pod](core.Pods(metav1.NamespaceSystem),
		metav1.ListOptions{LabelSelector: "component in (etcd,kube-apiserver,kube-controller-manager,kube-scheduler)"}), m.seePods)
	start(ctx, m, "pods of "+spec.SystemNamespace, follow.From[*corev1.Pod](core.Pods(spec.SystemNamespace),
		metav1.ListOptions{LabelSelector: spec.LabelManagedBy + "=" + spec.ManagedBy}), m.seePods)
	for _, component := range []string{"kube-controller-manager", "kube-scheduler"} {
		start(ctx, m, "lease of "+component, follow.From[*coordinationv1.Lease](m.client.CoordinationV1().Leases(metav1.NamespaceSystem),
			metav1.ListOptions{FieldSelector: "metadata.name=" + component}), m.seeLease)
	}
}

// start follows the objects of a source. A missing permission is noted.
func start[O follow.Object](ctx context.Context, m *Monitor, what string, source follow.Source[O], see func(follow.State[O], time.Time)) {
	ctx, cancel := context.WithCancel(ctx)
	began := false // a server that has just started knows no permissions
	m.done.Go(func() {
		defer cancel()
		follow.Follower[O]{
			Source: source,
			Do:     func(ctx context.Context, request func(context.Context) error) error { return request(ctx) },
			See: func(s follow.State[O]) {
				m.mutex.Lock()
				defer m.mutex.Unlock()
				began = true
				see(s, time.Now())
			},
			Broke: func(err error, _ time.Time) {
				if !began && (apierrors.IsForbidden(err) || apierrors.IsNotFound(err)) {
					m.note("%s: %v", what, err)
					cancel()
				}
			},
		}.Run(ctx)
	})
}

func (m *Monitor) note(format string, args ...any) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.unwatched = append(m.unwatched, fmt.Sprintf(format, args...))
}

func (m *Monitor) seeClaims(s follow.State[*resourceapi.ResourceClaim], now time.Time) {
	if m.before[claimsKind] == nil {
		m.before.claims(s.Objects)
	}
	m.reservations.see(s, now)
	m.report(now, m.allocations.see(s, now)...)
}

func (m *Monitor) seeSlices(s follow.State[*resourceapi.ResourceSlice], now time.Time) {
	m.pools.see(s, now)
}

func (m *Monitor) seePods(s follow.State[*corev1.Pod], now time.Time) {
	m.report(now, m.components.seePods(s)...)
}

func (m *Monitor) seeLease(s follow.State[*coordinationv1.Lease], now time.Time) {
	m.report(now, m.components.seeLease(s, now)...)
}

// Probed takes the result of a request for the API server's version.
func (m *Monitor) Probed(err error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	now := time.Now()
	m.report(now, m.components.probed(err, now)...)
}

func (m *Monitor) tick(ctx context.Context) {
	now := time.Now()
	m.mutex.Lock()
	m.report(now, m.allocations.late(m.pools, now)...)
	m.report(now, m.pools.incomplete(m.config.Driver, now)...)
	m.report(now, m.components.silent(now)...)
	m.cases.see(m.config.Progress())
	due := m.reservations.due(now, m.cases.disrupted(now))
	m.mutex.Unlock()
	for _, r := range due {
		pod, err := m.client.CoreV1().Pods(r.namespace).Get(ctx, r.pod, metav1.GetOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			continue
		}
		m.mutex.Lock()
		m.report(now, m.reservations.answered(r, pod, now)...)
		m.mutex.Unlock()
	}
}

// observation is a rule violation that may be excused.
type observation struct {
	rule spec.FindingRule
	// about identifies it together with the rule.
	about   string
	text    string
	objects []string
	// ours: the objects are the run's.
	ours bool
	// driver and namespace belong to the claim, if there is one.
	driver, namespace string
	// node is the node of the restarted container.
	node string
	// byHand: dratest wrote the objects itself.
	byHand bool
	// restart: the restart of a component explains it.
	restart bool
	// warning: it is none of the promises of DRA.
	warning bool
}

func (o observation) id() string { return string(o.rule) + " " + o.about }

// report reports what is new and counts. The caller holds the mutex.
func (m *Monitor) report(now time.Time, observed ...observation) {
	observed = slices.DeleteFunc(observed, func(o observation) bool { return o.byHand || m.reported[o.id()] })
	if len(observed) == 0 {
		return
	}
	m.cases.see(m.config.Progress())
	for _, o := range observed {
		if m.reported[o.id()] || m.cases.excuses(o, now) {
			continue
		}
		m.reported[o.id()] = true
		f := spec.Finding{Time: now, Rule: o.rule, Severity: spec.Warning, Text: o.text, Objects: o.objects, Cases: m.cases.running()}
		if !o.warning && (o.ours || m.config.Made) && !m.cases.judge(o) {
			f.Severity = spec.Violation
		}
		m.config.Found(f)
	}
}

// Stop ends the monitor. It compares the cluster with its state before the run, unless cases could
// not clean up.
func (m *Monitor) Stop(ctx context.Context) spec.Monitoring {
	m.cancel()
	m.done.Wait()
	m.cases.see(m.config.Progress())
	if len(m.cases.running()) == 0 {
		now := m.existing(ctx)
		now.claims(m.allocations.last)
		m.report(time.Now(), m.before.compare(now)...)
	}
	slices.Sort(m.unwatched)
	return spec.Monitoring{
		Requests: m.requests.Load(), CPUSeconds: (cpuTime() - m.cpu).Round(time.Millisecond).Seconds(), Unwatched: slices.Compact(m.unwatched),
	}
}
