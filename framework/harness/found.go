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

package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

// found is a driver that was there already, of which the case knows what its vendor has
// declared. What containers got is told by the workload's commands, by what the kubelet
// tells of devices, and by what the container runtime has for the container.
type found struct {
	t       *T
	subject spec.Subject
	// lines are what single devices look like, by pool and device.
	lines map[[2]string]string
	// cdi are the CDI devices of claims, as kubelets and container runtimes told.
	cdi map[types.UID][]string
}

func newFound(t *T, s spec.Subject) *found {
	t.Image = cmp.Or(s.Workload.Image, t.Image)
	return &found{t: t, subject: s, lines: map[[2]string]string{}, cdi: map[types.UID][]string{}}
}

func (f *found) Request(name string) resourceapi.DeviceRequest {
	class := f.subject.ClassFor(f.t.meta.Needs.DriverFeatures)
	return objects.Request(name, class.Class, class.Selectors...)
}

// The parts of a container's log.
const (
	devicesBegin = "-- devices"
	devicesEnd   = "-- end of devices"
)

// Script runs the workload's commands. What they say themselves comes before the devices,
// where people find it.
func (f *found) Script() string {
	w := f.subject.Workload
	identify := ":"
	if len(w.Identify) > 0 {
		identify = quote(w.Identify)
	}
	return "if " + quote(w.Present) + "; then present=yes; else present=no; fi\n" +
		"if " + quote(w.Absent) + "; then absent=yes; else absent=no; fi\n" +
		"echo '" + devicesBegin + "'\n" + identify + "\necho; echo '" + devicesEnd + "'\n" +
		"echo dratest_present=$present; echo dratest_absent=$absent\necho '" + objects.EnvironmentEnd + "'"
}

// quote is a command for a shell.
func quote(command []string) string {
	words := make([]string, 0, len(command))
	for _, word := range command {
		words = append(words, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
	}
	return strings.Join(words, " ")
}

// shown is what a container that runs Script has shown.
type shown struct {
	present, absent bool
	devices         []string
	log             string
}

func readShown(log string) shown {
	before, rest, _ := strings.Cut(log, devicesBegin+"\n")
	lines, after, _ := strings.Cut(rest, devicesEnd)
	s := shown{present: strings.Contains(after, "dratest_present=yes"), absent: strings.Contains(after, "dratest_absent=yes"), log: strings.TrimSpace(before)}
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(s.devices, line) {
			s.devices = append(s.devices, line)
		}
	}
	slices.Sort(s.devices)
	return s
}

func (f *found) ExpectDevices(pod, container string, claim *resourceapi.ResourceClaim, requests ...string) {
	ginkgo.GinkgoHelper()
	s := readShown(f.t.shownBy(pod, container))
	where := fmt.Sprintf("container %s of pod %s", container, pod)
	if claim == nil {
		f.t.Expect(s.absent).To(gomega.BeTrue(), "whether workload.absent succeeds in %s, which has no claim; it said: %s", where, s.log)
		f.t.Expect(f.cdiDevices(pod, container)).To(gomega.BeEmpty(), "CDI devices that the container runtime has for %s, which has no claim", where)
		return
	}
	results := pools.Allocated(claim, f.subject.Driver, requests...)
	f.t.Expect(results).NotTo(gomega.BeEmpty(), "devices of driver %s that are allocated to claim %s", f.subject.Driver, claim.Name)
	f.t.Expect(s.present).To(gomega.BeTrue(), "whether workload.present succeeds in %s, which has a claim; it said: %s", where, s.log)
	if len(f.subject.Workload.Identify) > 0 {
		f.t.Expect(s.devices).To(gomega.HaveLen(len(results)), "lines that workload.identify prints in %s, one for each device", where)
		f.compare(where, results, s.devices)
	}
	f.trace(pod, container, claim, results, len(requests) > 0)
}

// compare checks that devices look the same wherever they are, and different from others.
func (f *found) compare(where string, results []resourceapi.DeviceRequestAllocationResult, lines []string) {
	ginkgo.GinkgoHelper()
	for _, r := range results {
		id := [2]string{r.Pool, r.Device}
		if len(results) == 1 && f.lines[id] == "" {
			for other, line := range f.lines {
				f.t.Expect(lines[0]).NotTo(gomega.Equal(line), "what workload.identify prints in %s for device %s/%s, as it did for %s/%s", where, r.Pool, r.Device, other[0], other[1])
			}
			f.lines[id] = lines[0]
		}
		if line := f.lines[id]; line != "" {
			f.t.Expect(lines).To(gomega.ContainElement(line), "what workload.identify prints in %s for device %s/%s, as in another container", where, r.Pool, r.Device)
		}
	}
}

// trace checks that what the driver answered to the kubelet is what the container runtime
// has. Kubelets up to v1.37 list all devices of a claim for each container that uses a
// part of it, so that what is told of a part is only compared with the whole.
func (f *found) trace(pod, container string, claim *resourceapi.ResourceClaim, results []resourceapi.DeviceRequestAllocationResult, part bool) {
	ginkgo.GinkgoHelper()
	p := f.pod(pod)
	told, err := f.t.podResources(f.t.ctx, p.Spec.NodeName, p.Namespace, p.Name)
	f.t.NoError(err, "ask the podresources API for pod %s", pod)
	var names, devices []string
	for _, d := range told.List {
		if d.Claim == claim.Name {
			names = append(names, d.CDIDevices...)
			devices = append(devices, d.Pool+"/"+d.Device)
		}
	}
	has := f.cdiDevices(pod, container)
	f.cdi[claim.UID] = sortedSet(slices.Concat(f.cdi[claim.UID], names, has))
	if len(devices) == 0 && len(told.List)+len(told.Get) == 0 && !tellsOfClaims(f.t.env.Plan.Target, p.Spec.NodeName) {
		f.t.Note("the kubelet of %s tells nothing of claims in its podresources API", p.Spec.NodeName)
		return
	}
	f.t.Expect(devices).NotTo(gomega.BeEmpty(), "devices of claim %s that the kubelet tells of pod %s: what the driver answered", claim.Name, pod)
	if !part {
		want := []string{}
		for _, r := range results {
			want = append(want, r.Pool+"/"+r.Device)
		}
		f.t.Expect(sortedSet(devices)).To(gomega.Equal(sortedSet(want)), "devices of claim %s that the kubelet tells of pod %s: what the driver answered, and what is allocated", claim.Name, pod)
	}
	if part {
		f.t.Expect(len(has) > 0).To(gomega.Equal(len(names) > 0), "whether the container runtime has CDI devices for container %s of pod %s, as the driver answered some for claim %s", container, pod, claim.Name)
		f.t.Expect(sortedSet(names)).To(gomega.ContainElements(has), "CDI devices of claim %s, and those that the container runtime has for container %s of pod %s", claim.Name, container, pod)
		return
	}
	f.t.Expect(sortedSet(has)).To(gomega.Equal(sortedSet(names)), "CDI devices that the container runtime has for container %s of pod %s, and those that the driver answered for claim %s", container, pod, claim.Name)
}

// tellsOfClaims is whether the kubelet of a node tells of claims in any case: from v1.36 on
// feature KubeletPodResourcesDynamicResources cannot be switched off.
func tellsOfClaims(target spec.Target, node string) bool {
	return slices.ContainsFunc(target.Nodes, func(n spec.Node) bool {
		v, err := version.ParseGeneric(n.Kubelet)
		return n.Name == node && err == nil && v.AtLeast(version.MustParseGeneric("1.36"))
	})
}

func sortedSet(list []string) []string {
	set := slices.Clone(list)
	slices.Sort(set)
	return append([]string{}, slices.Compact(set)...)
}

// ExpectHeld checks that the kubelets list the claim for each pod that uses it.
func (f *found) ExpectHeld(claim *resourceapi.ResourceClaim) {
	ginkgo.GinkgoHelper()
	for _, consumer := range claim.Status.ReservedFor {
		p := f.pod(consumer.Name)
		for _, c := range p.Spec.Containers {
			if slices.ContainsFunc(c.Resources.Claims, func(r corev1.ResourceClaim) bool { return r.Name == claim.Name }) {
				f.ExpectDevices(p.Name, c.Name, claim)
			}
		}
	}
}

// AwaitUnprepared waits until the kubelets have had all claims of the case unprepared, which
// their checkpoints tell: claims of pods that were deleted by force are deallocated before.
func (f *found) AwaitUnprepared() {
	ginkgo.GinkgoHelper()
	f.t.Poll("the kubelets to have no claim of the case prepared", func(ctx context.Context) (bool, string, error) {
		left, err := f.t.inCheckpoints(ctx)
		switch {
		case ctx.Err() != nil: // its time is over, and it is as it was when it was last seen
		case err != nil:
			f.t.SetBlocked(err.Error()) // the driver cannot be blamed for what is not seen
		default:
			f.t.SetBlocked("")
		}
		return len(left) == 0, fmt.Sprintf("claims are in the checkpoints of %v", left), err
	})
}

// errUnseen: the kubelets' checkpoints cannot be read, so that nobody knows what is prepared.
var errUnseen = errors.New("it cannot be seen what the kubelet has prepared")

// inCheckpoints are the nodes with the driver under test whose kubelets have a claim of
// the case prepared. Errors: errUnseen.
func (t *T) inCheckpoints(ctx context.Context) ([]string, error) {
	entry := fmt.Sprintf(`\"Namespace\":\"%s\"`, t.Namespace)
	var left []string
	for _, node := range t.env.nodes(t.meta.Needs) {
		files, err := agentapi.ReadEvidence(ctx, t.env.Agents, node, time.Now())
		content, ok := files[checkpoint]
		if !ok {
			return nil, fmt.Errorf("%w on node %s: %w", errUnseen, node, err)
		}
		if strings.Contains(string(content), entry) {
			left = append(left, node)
		}
	}
	return left, nil
}

func (f *found) pod(name string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	p, err := f.t.Client.CoreV1().Pods(f.t.Namespace).Get(f.t.ctx, name, metav1.GetOptions{})
	f.t.NoError(err, "get pod %s", name)
	return p
}

// cdiDevices are those that the container runtime has for a container.
func (f *found) cdiDevices(pod, container string) []string {
	ginkgo.GinkgoHelper()
	return f.t.CDIDevices(f.pod(pod), container)
}

// watchSubject has the case notice what becomes of a driver that was there already, and not end
// before its claims are unprepared.
func (t *T) watchSubject() {
	t.rememberDriver()
	t.AddEvidence(t.gatherSubject)
	t.OnRemoved(t.awaitUnprepared)
}

// awaitUnprepared waits until the kubelets have unprepared the case's claims.
func (t *T) awaitUnprepared(ctx context.Context) error {
	var left []string
	err := await.Until(ctx, func(ctx context.Context) (_ bool, err error) {
		left, err = t.inCheckpoints(ctx)
		return err == nil && len(left) == 0, err
	})
	if err != nil {
		if errors.Is(err, errUnseen) && !ginkgo.CurrentSpecReport().Failed() {
			t.SetBlocked(err.Error())
		}
		return fmt.Errorf("wait for the kubelets to unprepare: %w; left: %s", err, strings.Join(left, ", "))
	}
	return nil
}

// gatherSubject writes the logs of the driver's own pods.
func (t *T) gatherSubject(ctx context.Context, w *Evidence) {
	s := t.env.Plan.Target.Subject
	if s.Namespace == "" {
		return
	}
	pods, err := t.Client.CoreV1().Pods(s.Namespace).List(ctx, metav1.ListOptions{LabelSelector: s.Selector})
	w.Problem("pods of the driver", err)
	if err != nil {
		return
	}
	since := metav1.NewTime(t.started)
	for _, p := range pods.Items {
		for _, c := range p.Spec.Containers {
			for _, previous := range []bool{false, true} {
				log, err := t.readLog(ctx, p.Namespace, p.Name, corev1.PodLogOptions{Container: c.Name, SinceTime: &since, Previous: previous})
				name := p.Spec.NodeName + "." + c.Name
				if previous {
					name += ".previous"
					if err != nil {
						continue // it has not been restarted
					}
				}
				w.Problem("log of the driver's pod "+p.Name, err)
				w.File(filepath.Join("driver", name+".log"), log)
			}
		}
	}
}
