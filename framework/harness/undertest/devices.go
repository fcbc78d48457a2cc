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

package undertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Request returns a request for one device of the class declared for the case.
func (d *Driver) Request(name string) resourceapi.DeviceRequest {
	class := d.spec.ClassFor(d.t.Meta().Needs.DriverFeatures)
	return objects.Request(name, class.Class, class.Selectors...)
}

// workload has the commands for the devices of Request.
func (d *Driver) workload() spec.Workload { return d.spec.WorkloadFor(d.t.Meta().Needs.DriverFeatures) }

// The parts of a container's log.
const (
	devicesBegin = "-- devices"
	devicesEnd   = "-- end of devices"
)

// Script runs the workload's commands. Their own output comes first in the log, where readers
// expect it.
func (d *Driver) Script() string {
	w := d.workload()
	identify := ":"
	if len(w.Identify) > 0 {
		identify = objects.Quote(w.Identify)
	}
	return "if " + objects.Quote(w.Present) + "; then present=yes; else present=no; fi\n" +
		"if " + objects.Quote(w.Absent) + "; then absent=yes; else absent=no; fi\n" +
		"echo '" + devicesBegin + "'\n" + identify + "\necho; echo '" + devicesEnd + "'\n" +
		"echo dratest_present=$present; echo dratest_absent=$absent\necho '" + objects.EnvironmentEnd + "'"
}

// shown is the parsed output of Script.
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

// ExpectDevices fails the case unless the container sees the devices of the claim, of the requests
// if some are named, and no others.
func (d *Driver) ExpectDevices(pod, container string, claim *resourceapi.ResourceClaim, requests ...string) {
	ginkgo.GinkgoHelper()
	s := readShown(d.t.Output(pod, container))
	where := fmt.Sprintf("container %s of pod %s", container, pod)
	if claim == nil {
		d.t.Expect(s.absent).To(gomega.BeTrue(), "whether workload.absent succeeds in %s without a claim; output: %s", where, s.log)
		d.t.Expect(d.cdiDevices(pod, container)).To(gomega.BeEmpty(), "CDI devices of %s without a claim, as reported by the container runtime", where)
		return
	}
	results := pools.Allocated(claim, d.spec.Driver, requests...)
	d.t.Expect(results).NotTo(gomega.BeEmpty(), "devices of driver %s allocated to claim %s", d.spec.Driver, claim.Name)
	d.t.Expect(s.present).To(gomega.BeTrue(), "whether workload.present succeeds in %s with a claim; output: %s", where, s.log)
	if len(d.workload().Identify) > 0 {
		d.t.Expect(s.devices).To(gomega.HaveLen(len(results)), "lines printed by workload.identify in %s, one for each device", where)
		d.compare(where, results, s.devices)
	}
	d.trace(pod, container, claim, results, len(requests) > 0)
}

// compare compares a device in all containers, and with other devices.
func (d *Driver) compare(where string, results []resourceapi.DeviceRequestAllocationResult, lines []string) {
	ginkgo.GinkgoHelper()
	for _, r := range results {
		id := [2]string{r.Pool, r.Device}
		if len(results) == 1 && d.lines[id] == "" {
			for other, line := range d.lines {
				d.t.Expect(lines[0]).NotTo(gomega.Equal(line), "output of workload.identify in %s for device %s/%s, as it did for %s/%s", where, r.Pool, r.Device, other[0], other[1])
			}
			d.lines[id] = lines[0]
		}
		if line := d.lines[id]; line != "" {
			d.t.Expect(lines).To(gomega.ContainElement(line), "output of workload.identify in %s for device %s/%s, as in another container", where, r.Pool, r.Device)
		}
	}
}

// trace checks that the container runtime has the CDI devices of the driver's answer to the
// kubelet. Kubelets up to v1.37 list all devices of a claim for a container with a part of it, so a
// part is only checked to be among them.
func (d *Driver) trace(pod, container string, claim *resourceapi.ResourceClaim, results []resourceapi.DeviceRequestAllocationResult, part bool) {
	ginkgo.GinkgoHelper()
	p := d.pod(pod)
	reported := kubelet.PodResources(d.t, p.Spec.NodeName, pod)
	var names, devices []string
	for _, device := range reported.List {
		if device.Claim == claim.Name {
			names = append(names, device.CDIDevices...)
			devices = append(devices, device.Pool+"/"+device.Device)
		}
	}
	has := d.cdiDevices(pod, container)
	d.cdi[claim.UID] = sortedSet(slices.Concat(d.cdi[claim.UID], names, has))
	if len(devices) == 0 && len(reported.List)+len(reported.Get) == 0 && !listsClaims(d.t.Env().Plan.Target, p.Spec.NodeName) {
		d.t.Note("the kubelet of %s tells nothing of claims in its podresources API", p.Spec.NodeName)
		return
	}
	d.answers(claim.Name, len(devices) > 0)
	if len(devices) == 0 {
		// An empty response is valid (k8s.io/dynamic-resource-allocation v0.37.1 kubeletplugin, PrepareResult).
		d.t.Note("the driver returns no devices for claim %s: only the workload's commands show them", claim.Name)
	}
	if len(devices) > 0 && !part {
		want := []string{}
		for _, r := range results {
			want = append(want, r.Pool+"/"+r.Device)
		}
		d.t.Expect(sortedSet(devices)).To(gomega.Equal(sortedSet(want)), "devices of claim %s reported by the kubelet for pod %s: the driver's response, and the allocation", claim.Name, pod)
	}
	if part {
		d.t.Expect(len(has) > 0).To(gomega.Equal(len(names) > 0), "whether the container runtime has CDI devices for container %s of pod %s, as the driver answered some for claim %s", container, pod, claim.Name)
		d.t.Expect(sortedSet(names)).To(gomega.ContainElements(has), "CDI devices of claim %s, and those reported by the container runtime for container %s of pod %s", claim.Name, container, pod)
		return
	}
	d.t.Expect(sortedSet(has)).To(gomega.Equal(sortedSet(names)), "CDI devices reported by the container runtime for container %s of pod %s, and those returned by the driver for claim %s", container, pod, claim.Name)
}

// answers fails the case if the driver returns devices for some claims and none for others.
func (d *Driver) answers(claim string, some bool) {
	ginkgo.GinkgoHelper()
	if d.answered == nil {
		d.answered = map[bool]string{}
	}
	d.answered[some] = claim
	d.t.Expect(d.answered).To(gomega.HaveLen(1), "whether the driver's response has devices, by claim: for each claim or for none")
}

// listsClaims is whether the kubelet of a node always lists claims:
// KubeletPodResourcesDynamicResources is locked on from v1.36.
func listsClaims(target spec.Target, node string) bool {
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

// ExpectHeld expects the kubelets to list the claim for each of its pods.
func (d *Driver) ExpectHeld(claim *resourceapi.ResourceClaim) {
	ginkgo.GinkgoHelper()
	for _, consumer := range claim.Status.ReservedFor {
		p := d.pod(consumer.Name)
		for _, c := range p.Spec.Containers {
			if slices.ContainsFunc(c.Resources.Claims, func(r corev1.ResourceClaim) bool { return r.Name == claim.Name }) {
				d.ExpectDevices(p.Name, c.Name, claim)
			}
		}
	}
}

func (d *Driver) pod(name string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	p, err := d.t.Client.CoreV1().Pods(d.t.Namespace).Get(d.t.Context(), name, metav1.GetOptions{})
	d.t.NoError(err, "get pod %s", name)
	return p
}

// cdiDevices are the container runtime's CDI devices of a container.
func (d *Driver) cdiDevices(pod, container string) []string {
	ginkgo.GinkgoHelper()
	return kubelet.CDIDevices(d.t, d.pod(pod), container)
}
