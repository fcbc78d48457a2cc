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

package sampledriver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/controller"
	"github.com/dra-conformance/dratest/implementation/classic/parametersref"
)

// networkPool is the pool of network devices.
const networkPool = "network"

// Config has the devices and injected failures.
type Config struct {
	// Devices is the number of devices per node or in the network.
	Devices int
	// Network makes all devices reachable from all of Nodes; otherwise each node has its own.
	Network bool
	// Nodes is a label selector for nodes, "" for all.
	Nodes string
	// StateFile stores the owners of devices. If empty, nothing is saved: after a restart, devices
	// in use are allocated again.
	StateFile string

	// Refuse are nodes reported as unsuitable.
	Refuse []string
	// FailAllocate and FailDeallocate are the number of failing calls before one succeeds; -1 means
	// all.
	FailAllocate, FailDeallocate int
	// Takes is the duration of an allocation.
	Takes time.Duration
}

// Validate returns all problems at once.
func (c Config) Validate() error {
	var errs []error
	if c.Devices < 0 || c.Takes < 0 || c.FailAllocate < -1 || c.FailDeallocate < -1 {
		errs = append(errs, errors.New("numbers of devices, times and failures must not be negative, but for -1 failures"))
	}
	if _, err := metav1.ParseToLabelSelector(c.Nodes); err != nil {
		errs = append(errs, fmt.Errorf("label selector of the nodes: %w", err))
	}
	return errors.Join(errs...)
}

// Driver implements controller.Driver.
type Driver struct {
	config   Config
	selector *metav1.LabelSelector
	objects  *parametersref.Reader
	nodes    corelisters.NodeLister

	mu    sync.Mutex // for all below
	state *state
	// allocateFailures and deallocateFailures are the remaining failures.
	allocateFailures, deallocateFailures int
	// failed counts injected failures of claims with such parameters.
	failed map[types.UID]int
	// simulated disables delays and injected failures.
	simulated bool
}

var _ controller.Driver = &Driver{}

// New returns the driver with the state from its file. It reads parameter objects with the reader.
// Errors are those of Config and of the file.
func New(config Config, objects *parametersref.Reader, nodes corelisters.NodeLister) (*Driver, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	selector, err := metav1.ParseToLabelSelector(config.Nodes)
	if err != nil {
		return nil, err
	}
	state, err := load(config.StateFile)
	if err != nil {
		return nil, err
	}
	return &Driver{
		config: config, selector: selector, objects: objects, nodes: nodes, state: state,
		allocateFailures: config.FailAllocate, deallocateFailures: config.FailDeallocate,
		failed: make(map[types.UID]int),
	}, nil
}

// fails reports whether a call should fail.
func fails(left *int) bool {
	if *left > 0 {
		*left--
		return true
	}
	return *left < 0
}

// Allocate implements controller.Driver.
func (d *Driver) Allocate(ctx context.Context, claim *controller.Claim, node string) (*controller.Allocation, error) {
	parameters, ok := claim.Parameters.(parameters)
	if !ok {
		return nil, fmt.Errorf("got parameters %T", claim.Parameters)
	}
	if err := wait(ctx, d.config.Takes+parameters.takes); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if fails(&d.allocateFailures) {
		return nil, errors.New("allocating fails on purpose")
	}
	if uid := claim.Claim.UID; d.failed[uid] < parameters.fail {
		d.failed[uid]++
		return nil, fmt.Errorf("allocating the claim fails on purpose, %d times of %d", d.failed[uid], parameters.fail)
	}
	pools, err := d.pools(node)
	if err != nil {
		return nil, err
	}
	device, err := d.state.take(claim.Claim.UID, pools, d.config.Devices)
	if errors.Is(err, errNoneFree) && parameters.optional {
		// It may still hold a device on another node from an unrecorded attempt.
		if err := d.state.free(claim.Claim.UID); err != nil {
			return nil, err
		}
		klog.FromContext(ctx).V(2).Info("Left a claim without a device, which is optional", "claim", klog.KObj(claim.Claim), "node", node)
		return &controller.Allocation{Handle: parameters.handle(""), UserLimit: parameters.userLimit}, nil
	}
	if err != nil {
		return nil, err
	}
	klog.FromContext(ctx).V(2).Info("Took a device", "claim", klog.KObj(claim.Claim), "node", node, "device", device)
	return &controller.Allocation{
		Devices: []controller.Device{device}, Nodes: d.reach(device.Pool), Handle: parameters.handle(device.Pool + "/" + device.Device), UserLimit: parameters.userLimit,
	}, nil
}

func wait(ctx context.Context, duration time.Duration) error {
	select {
	case <-time.After(duration):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pools returns the pools usable on a node, "" for any node.
func (d *Driver) pools(node string) ([]string, error) {
	nodes, err := d.ownNodes()
	if err != nil {
		return nil, err
	}
	nodes = slices.DeleteFunc(nodes, func(n string) bool { return node != "" && n != node || slices.Contains(d.config.Refuse, n) })
	switch {
	case len(nodes) == 0:
		return nil, fmt.Errorf("node %q cannot have devices of this driver", node)
	case d.config.Network:
		return []string{networkPool}, nil
	default:
		return nodes, nil
	}
}

// ownNodes returns the selected nodes, sorted.
func (d *Driver) ownNodes() ([]string, error) {
	selector, err := metav1.LabelSelectorAsSelector(d.selector)
	if err != nil {
		return nil, err
	}
	if d.config.Nodes == "" {
		selector = labels.Everything()
	}
	found, err := d.nodes.List(selector)
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	var names []string
	for _, n := range found {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return names, nil
}

// reach returns the nodes for devices of a pool, nil for everywhere.
func (d *Driver) reach(pool string) *corev1.NodeSelector {
	var term corev1.NodeSelectorTerm
	if !d.config.Network {
		term.MatchFields = []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{pool}}}
		return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}
	}
	if d.config.Nodes == "" {
		return nil
	}
	for key, value := range d.selector.MatchLabels {
		term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}})
	}
	for _, e := range d.selector.MatchExpressions {
		term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: e.Key, Operator: corev1.NodeSelectorOperator(e.Operator), Values: e.Values})
	}
	slices.SortFunc(term.MatchExpressions, func(a, b corev1.NodeSelectorRequirement) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}
}

// Deallocate implements controller.Driver.
func (d *Driver) Deallocate(ctx context.Context, record *v1alpha1.ClassicClaim) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if fails(&d.deallocateFailures) {
		return errors.New("deallocating fails on purpose")
	}
	had := d.state.has(record.Spec.ClaimUID)
	if err := d.state.free(record.Spec.ClaimUID); err != nil {
		return err
	}
	if had { // otherwise an attempt was abandoned, and the next one continues it
		delete(d.failed, record.Spec.ClaimUID)
	}
	klog.FromContext(ctx).V(2).Info("Freed the device of a claim, if it had one", "claim", klog.KObj(record))
	return nil
}

// UnsuitableNodes implements controller.Driver. Claims of a pod get different devices.
func (d *Driver) UnsuitableNodes(_ context.Context, _ *corev1.Pod, claims []*controller.Claim, nodes []string) (map[string][]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	own, err := d.ownNodes()
	if err != nil {
		return nil, err
	}
	wanted := 0
	for _, claim := range claims {
		wants, _ := claim.Parameters.(parameters)
		if !wants.optional && !d.state.has(claim.Claim.UID) {
			wanted++
		}
	}
	unsuitable := make(map[string][]string)
	for _, node := range nodes {
		pool := node
		if d.config.Network {
			pool = networkPool
		}
		if slices.Contains(own, node) && !slices.Contains(d.config.Refuse, node) && d.config.Devices-d.state.taken(pool) >= wanted {
			continue
		}
		for _, claim := range claims {
			unsuitable[claim.PodClaim] = append(unsuitable[claim.PodClaim], node)
		}
	}
	return unsuitable, nil
}
