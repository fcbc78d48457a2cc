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

package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/dramanager"
	"github.com/dra-conformance/dratest/implementation/scheduler"
)

// Objects are a cluster's API objects. The simulation does not modify them, and callers must not
// either.
type Objects struct {
	dramanager.Objects
	Nodes []*v1.Node
	Pods  []*v1.Pod
}

// Config describes a cluster. The zero value is Kubernetes v1.37 with defaults. Kube-scheduler's own
// filters use the feature gates of the process.
type Config struct {
	// Features of this project's plugin; nil means the defaults.
	Features *scheduler.Features
	// NoDeclaredFeatures is for clusters whose nodes do not declare features.
	NoDeclaredFeatures bool
}

func (c Config) features() (scheduler.Features, error) {
	if c.Features == nil {
		return scheduler.AllFeatures(), nil
	}
	return *c.Features, nil
}

// Simulation is a copy of a cluster for placing pods and adding or removing nodes. It is not safe for
// concurrent use.
type Simulation struct {
	manager   *dramanager.Manager
	nodes     *nodes
	framework framework.Framework
	pending   []*v1.Pod
	// memory caches rejections of equal pods.
	memory memory
	// retried are pods with a claim for extended resources of an earlier attempt.
	retried map[types.UID]bool
}

// New returns a simulation of these objects. It ignores terminated pods and pods on missing nodes. ctx
// ends the plugins' background work.
func New(ctx context.Context, objects Objects, config Config) (*Simulation, error) {
	manager, err := dramanager.New(objects.Objects)
	if err != nil {
		return nil, fmt.Errorf("take over claims: %w", err)
	}
	s := &Simulation{manager: manager, nodes: newNodes(objects.Nodes), memory: newMemory(), retried: make(map[types.UID]bool)}
	for _, claim := range objects.Claims {
		if owner := metav1.GetControllerOf(claim); owner != nil && claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] == "true" {
			s.retried[owner.UID] = true
		}
	}
	for _, pod := range objects.Pods {
		switch {
		case pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed:
		case pod.Spec.NodeName == "":
			if pod.DeletionTimestamp == nil {
				s.pending = append(s.pending, pod)
			}
		case s.nodes.byName[pod.Spec.NodeName] != nil:
			s.nodes.addPod(pod)
		}
	}
	slices.SortStableFunc(s.pending, before)
	if s.framework, err = newFramework(ctx, manager, s.nodes, config); err != nil {
		return nil, err
	}
	return s, nil
}

// before is the order of attempts: pods waiting in PreBind already have node and devices (KEP-5007),
// then the scheduler's queue order.
func before(a, b *v1.Pod) int {
	return cmp.Or(
		-compareBools(a.Status.NominatedNodeName != "", b.Status.NominatedNodeName != ""),
		-cmp.Compare(priority(a), priority(b)),
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
	)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func priority(pod *v1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

// Pending returns the pods without a node at the start in the scheduler's order, including pods with
// scheduling gates.
func (s *Simulation) Pending() []*v1.Pod { return slices.Clone(s.pending) }

// HasNode reports whether a node exists.
func (s *Simulation) HasNode(name string) bool { return s.nodes.byName[name] != nil }

// Fork starts changes for Revert or Commit. Forks nest.
func (s *Simulation) Fork() {
	s.manager.Fork()
	before := s.memory
	s.memory = before.forked()
	s.manager.OnRevert(func() { s.memory = before })
}

// Commit keeps the changes since the last Fork.
func (s *Simulation) Commit() { s.manager.Commit() }

// Revert undoes the changes since the last Fork.
func (s *Simulation) Revert() { s.manager.Revert() }

// AddNode adds a node from a template under a name and places its own pods. It fails without changes
// if the name is taken or one of these pods does not fit.
func (s *Simulation) AddNode(ctx context.Context, template *Template, name string) error {
	_, refused, err := s.addNode(ctx, template, name)
	if err == nil && refused != "" {
		err = errors.New(refused)
	}
	return err
}

// addNode returns the placements of the node's own pods, or without changes the reason why the node
// cannot be added.
func (s *Simulation) addNode(ctx context.Context, template *Template, name string) (own []Placement, refused string, err error) {
	s.Fork()
	own, refused, err = s.tryNode(ctx, template, name)
	if refused != "" || err != nil {
		s.Revert()
		return nil, refused, err
	}
	s.Commit()
	return own, "", nil
}

func (s *Simulation) tryNode(ctx context.Context, template *Template, name string) (own []Placement, refused string, err error) {
	if s.nodes.byName[name] != nil {
		return nil, fmt.Sprintf("add node %s: there is one of that name", name), nil
	}
	made := template.Instance(name)
	s.manager.AddSlices(made.Slices...)
	for _, claim := range made.Claims {
		if err := s.manager.AddClaim(claim); err != nil {
			return nil, fmt.Sprintf("add node %s: %v", name, err), nil
		}
	}
	s.nodes.add(made.Nodes[0])
	s.manager.OnRevert(s.nodes.drop)
	for _, pod := range made.Pods {
		placement, err := s.place(ctx, pod, on(name))
		if err != nil {
			return nil, "", err
		}
		if placement.Node == "" {
			return nil, fmt.Sprintf("add node %s: its own pod %s does not fit: %s", name, klog.KObj(pod), placement.why()), nil
		}
		own = append(own, placement)
	}
	return own, "", nil
}
