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

package certify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

var (
	// ErrNotThere means that a declared object is missing in the cluster, so the driver cannot be judged.
	ErrNotThere = errors.New("there is nothing to test")
	// ErrDriver means that the driver does not work as a DRA driver.
	ErrDriver = errors.New("the driver does not work")
)

// observation is the interpretation of a world for a declaration.
type observation struct {
	// inClass has the devices of the first class, which determine the driver's nodes.
	inClass

	observed map[spec.DriverFeature]bool
	// leftOut describes the unused nodes, with reasons.
	leftOut []string
	// short describes nodes with fewer devices than declared.
	short []string
	// others has the devices of further classes for features, by the class's index.
	others map[int]inClass
}

// inClass has the devices of a class: all and the number of free ones by node, and why others are not free.
type inClass struct {
	devices map[string][]pools.Device
	free    map[string]int
	held    []string
}

func (c inClass) nodes() []string { return slices.Sorted(maps.Keys(c.devices)) }

// least is the minimum number of free devices on each of those nodes.
func (c inClass) least() int {
	free := 0
	for i, node := range c.nodes() {
		if n := c.free[node]; i == 0 || n < free {
			free = n
		}
	}
	return free
}

// newObservation interprets a world. Errors: ErrNotThere, ErrDriver.
func newObservation(ctx context.Context, d declarations.Declaration, w world) (observation, error) {
	var s observation
	// Slices remain for a while after the driver was removed from all nodes.
	if len(w.slices) == 0 || w.onNoNode() {
		return s, w.nothing(d)
	}
	for _, pool := range pools.Of(d.Driver, w.slices) {
		if problem := pool.Problem(); problem != "" {
			return s, fmt.Errorf("%w: driver %s: %s", ErrDriver, d.Driver, problem)
		}
	}
	class, err := w.inClass(ctx, d, d.Classes[0], nil)
	if err != nil {
		return s, err
	}
	s.inClass = class
	s.leftOut = w.nodesLeftOut()
	if len(s.devices) == 0 {
		if hidden := w.hidden(d); len(hidden) > 0 {
			return s, fmt.Errorf("%w: driver %s publishes devices only on nodes that are not used: %s; workload.template can tolerate taints", ErrNotThere, d.Driver, strings.Join(hidden, "; "))
		}
		return s, fmt.Errorf("%w: class %s with the declared selectors selects none of the devices that driver %s publishes on nodes where pods can run: correct classes[0], or nodes.selector", ErrNotThere, d.Classes[0].Name, d.Driver)
	}
	s.others = map[int]inClass{}
	var others []string // nodes possibly without a device of the first class
	for i, c := range d.Classes {
		if i == 0 || len(c.Features) == 0 {
			continue // cases only use classes with a feature
		}
		if class, err = w.inClass(ctx, d, c, s.nodes()); err != nil {
			return s, err
		}
		s.others[i], s.held, others = class, append(s.held, class.held...), append(others, class.nodes()...)
		s.miss(c, class, class.nodes())
		if len(class.devices) == 0 {
			s.short = append(s.short, fmt.Sprintf("no node has a device of class %s, the declaration says %d", c.Name, c.DevicesPerNode))
		}
	}
	// As when a node's devices are all partitioned.
	s.miss(d.Classes[0], s.inClass, slices.DeleteFunc(w.expected(s.nodes(), labels.SelectorFromSet(d.Nodes.Selector)), func(node string) bool {
		return len(s.devices[node]) == 0 && slices.Contains(others, node)
	}))
	slices.Sort(s.held)
	s.held = slices.Compact(s.held) // a device may be of two classes
	s.observed = w.features(d.Classes[0].Name)
	return s, nil
}

// miss records the nodes with fewer devices of a class than declared.
func (s *observation) miss(c declarations.Class, has inClass, nodes []string) {
	for _, node := range nodes {
		if n := len(has.devices[node]); n < c.DevicesPerNode {
			s.short = append(s.short, fmt.Sprintf("node %s has %d device(s) of class %s, the declaration says %d", node, n, c.Name, c.DevicesPerNode))
		}
	}
}

// inClass returns the driver's devices in a class on nodes able to run pods; devices without a node, as in a fabric,
// are assumed reachable from these. Errors: ErrNotThere.
func (w world) inClass(ctx context.Context, d declarations.Declaration, class declarations.Class, reach []string) (inClass, error) {
	found := inClass{devices: map[string][]pools.Device{}, free: map[string]int{}}
	matches, err := w.matching(ctx, class)
	if err != nil {
		return found, err
	}
	all, nodes := pools.Devices(d.Driver, w.slices, w.claims), labels.SelectorFromSet(d.Nodes.Selector)
	if len(all) == 0 {
		return found, w.noDevice(d)
	}
	for _, device := range all {
		on := []string{device.Node}
		if device.Node == "" {
			on = reach
		}
		for _, node := range on {
			set, usable := w.nodes[node]
			if !usable || !nodes.Matches(set) || !matches(d.Driver, device.Device) {
				continue
			}
			found.devices[node] = append(found.devices[node], device)
			if device.Kept == "" {
				found.free[node]++
			} else {
				found.held = append(found.held, fmt.Sprintf("device %s/%s of node %s %s", device.Pool, device.Name, node, device.Kept))
			}
		}
	}
	slices.Sort(found.held)
	return found, nil
}

// noDevice is the error for slices without devices.
func (w world) noDevice(d declarations.Declaration) error {
	return fmt.Errorf("%w: driver %s publishes no device: its %d ResourceSlice(s) are empty: see to its log, and whether nodes have what it looks for", ErrNotThere, d.Driver, len(w.slices))
}

// expected returns the nodes with devices or a pod of the driver.
func (w world) expected(found []string, selector labels.Selector) []string {
	all := slices.Clone(found)
	for _, p := range w.pods {
		if set, usable := w.nodes[p.Spec.NodeName]; usable && selector.Matches(set) {
			all = append(all, p.Spec.NodeName)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// onNoNode reports whether the driver's daemon set has no pod, and should have none.
func (w world) onNoNode() bool {
	return w.daemonSet != nil && w.daemonSet.Status.DesiredNumberScheduled == 0 && len(w.pods) == 0
}

// nothing returns why slices are missing, or without a driver maintaining them.
func (w world) nothing(d declarations.Declaration) error {
	set := d.Deploy.DaemonSet
	switch {
	case set == "":
		return fmt.Errorf("%w: no ResourceSlice is of driver %s: install the driver, or name its daemon set in deploy.daemonSet, so that more can be said", ErrNotThere, d.Driver)
	case w.daemonSet == nil:
		return fmt.Errorf("%w: driver %s is not installed: there is neither daemon set %s nor a ResourceSlice of the driver: install it (`dratest certify --install` runs hooks.install), or correct deploy.daemonSet", ErrNotThere, d.Driver, set)
	case w.onNoNode():
		return fmt.Errorf("%w: driver %s is installed on no node: daemon set %s has no pod, as its node selector and tolerations fit no node: correct them, or give nodes the labels that it wants", ErrNotThere, d.Driver, set)
	}
	for _, p := range w.pods {
		if why := notRunning(p); why != "" {
			return fmt.Errorf("%w: driver %s does not run: pod %s/%s on node %s: %s; its log says more: kubectl logs -n %s %s --all-containers --previous", ErrDriver, d.Driver, p.Namespace, p.Name, p.Spec.NodeName, why, p.Namespace, p.Name)
		}
	}
	return fmt.Errorf("%w: driver %s publishes nothing: the pods of daemon set %s run, and there is no ResourceSlice of the driver: see to its log, to its right to create ResourceSlices, and whether driver is its name there",
		ErrDriver, d.Driver, set)
}

func notRunning(p corev1.Pod) string {
	for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if w := s.State.Waiting; w != nil {
			return strings.TrimSpace(fmt.Sprintf("container %s waits: %s %s", s.Name, w.Reason, w.Message))
		}
		if e := s.State.Terminated; e != nil && e.ExitCode != 0 {
			return fmt.Sprintf("container %s ended with exit code %d", s.Name, e.ExitCode)
		}
	}
	if p.Status.Phase != corev1.PodRunning {
		return "it is " + string(p.Status.Phase)
	}
	return ""
}

// matching returns a predicate for the devices selected by a class and the declaration's selectors. Errors:
// ErrNotThere.
func (w world) matching(ctx context.Context, class declarations.Class) (func(driver string, d resourceapi.Device) bool, error) {
	i := slices.IndexFunc(w.classes, func(c resourceapi.DeviceClass) bool { return c.Name == class.Name })
	if i < 0 {
		return nil, fmt.Errorf("%w: device class %s is not there: create it, or correct its name in classes", ErrNotThere, class.Name)
	}
	expressions := slices.Clone(class.Selectors)
	for _, s := range w.classes[i].Spec.Selectors {
		if s.CEL != nil {
			expressions = append(expressions, s.CEL.Expression)
		}
	}
	var programs []cel.CompilationResult
	for _, e := range expressions {
		program := cel.GetCompiler(cel.Features{EnableConsumableCapacity: true}).CompileCELExpression(e, cel.Options{})
		if program.Error != nil {
			return nil, fmt.Errorf("%w: selector %q of class %s cannot be compiled: %w", ErrNotThere, e, class.Name, program.Error)
		}
		programs = append(programs, program)
	}
	return func(driver string, d resourceapi.Device) bool {
		for _, p := range programs {
			fits, _, err := p.DeviceMatches(ctx, cel.Device{Driver: driver, AllowMultipleAllocations: d.AllowMultipleAllocations, Attributes: d.Attributes, Capacity: d.Capacity})
			if err != nil || !fits {
				return false
			}
		}
		return true
	}, nil
}

func (w world) features(class string) map[spec.DriverFeature]bool {
	seen := map[spec.DriverFeature]bool{}
	see := func(f spec.DriverFeature, is bool) {
		if is {
			seen[f] = true
		}
	}
	for _, s := range w.slices {
		see(spec.DriverPartitionable, len(s.Spec.SharedCounters) > 0)
		for _, d := range s.Spec.Devices {
			see(spec.DriverPartitionable, len(d.ConsumesCounters) > 0)
			see(spec.DriverConsumableCapacity, ptr.Deref(d.AllowMultipleAllocations, false))
			see(spec.DriverTaints, len(d.Taints) > 0)
			see(spec.DriverBindingConditions, len(d.BindingConditions) > 0)
		}
	}
	for _, c := range w.classes {
		see(spec.DriverExtendedResource, c.Name == class && ptr.Deref(c.Spec.ExtendedResourceName, "") != "")
	}
	see(spec.DriverRollingUpdate, w.daemonSet != nil && surges(w.daemonSet))
	return seen
}

// surges reports whether an update starts a new pod before stopping the old one.
func surges(set *appsv1.DaemonSet) bool {
	u := set.Spec.UpdateStrategy.RollingUpdate
	return u != nil && u.MaxSurge != nil && u.MaxSurge.String() != "0" && u.MaxSurge.String() != "0%"
}

// has returns the driver's features: as declared, else as observed.
func has(declared declarations.Features, observed map[spec.DriverFeature]bool) map[spec.DriverFeature]bool {
	all := maps.Clone(observed)
	if all == nil {
		all = map[spec.DriverFeature]bool{}
	}
	maps.Copy(all, declared)
	return all
}

func (s observation) driverUnderTest(d declarations.Declaration, w world) spec.DriverUnderTest {
	found := spec.DriverUnderTest{
		Driver: d.Driver, DriverClass: driverClass(d.Classes[0], s.inClass), Features: has(d.Features, s.observed),
		Workload:       spec.Workload{Image: d.Workload.Image, Present: d.Workload.Present, Absent: d.Workload.Absent, Identify: d.Workload.Identify, Pod: d.Workload.Template},
		Namespaces:     spec.NamespaceMeta(d.Namespace),
		FeatureClasses: map[spec.DriverFeature]spec.DriverClass{},
	}
	for i, class := range s.others {
		for _, f := range d.Classes[i].Features {
			found.FeatureClasses[f] = driverClass(d.Classes[i], class)
		}
	}
	if w.daemonSet != nil {
		found.Namespace, found.Selector = w.daemonSet.Namespace, metav1.FormatLabelSelector(w.daemonSet.Spec.Selector)
		found.DaemonSet = w.daemonSet.Name
	}
	for _, part := range d.Nodes.Template {
		found.Template = append(found.Template, spec.DeviceTemplate(part))
	}
	found.CheckpointPaths = d.Deploy.CheckpointPaths
	return found
}

func driverClass(c declarations.Class, found inClass) spec.DriverClass {
	return spec.DriverClass{
		Class: c.Name, Selectors: c.Selectors, Nodes: found.nodes(), Devices: found.least(),
		Workload: spec.Workload{Present: c.Workload.Present, Absent: c.Workload.Absent, Identify: c.Workload.Identify},
	}
}
