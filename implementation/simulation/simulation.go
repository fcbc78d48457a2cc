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

// Objects are a cluster as the API has it. They are not modified, and must not be
// afterwards.
type Objects struct {
	dramanager.Objects
	Nodes []*v1.Node
	Pods  []*v1.Pod
}

// Config is how a cluster differs from one of Kubernetes v1.37 with nothing but
// defaults, which the zero value is. Kube-scheduler's own filters go by the feature
// gates of the process.
type Config struct {
	// Features are those of this project's plugin; nil means all that are on by default.
	Features *scheduler.Features
	// NoDeclaredFeatures is for clusters in which nodes do not declare their features.
	NoDeclaredFeatures bool
}

func (c Config) features() (scheduler.Features, error) {
	if c.Features == nil {
		return scheduler.AllFeatures(), nil
	}
	return *c.Features, nil
}

// Simulation is a cluster in which pods are placed and nodes come and go without
// anybody's notice. It is not safe for concurrent use.
type Simulation struct {
	manager   *dramanager.Manager
	nodes     *nodes
	framework framework.Framework
	pending   []*v1.Pod
	// memory is what is known of pods that ask for the same.
	memory memory
	// retried are pods for whose extended resources there is a claim of an earlier attempt.
	retried map[types.UID]bool
}

// New returns the cluster of these objects. Pods that have ended are left out; that
// have a node that is not there, too. ctx ends what the plugins do in the background.
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

// before is the order in which pods are tried: those that wait in PreBind have a node
// and devices already (KEP-5007), then as the scheduler's queue has them.
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

// Pending returns the pods that had no node at the start, in the order in which the
// scheduler would try them. Those with scheduling gates are among them.
func (s *Simulation) Pending() []*v1.Pod { return slices.Clone(s.pending) }

// HasNode says whether a node is there.
func (s *Simulation) HasNode(name string) bool { return s.nodes.byName[name] != nil }

// Fork begins changes that Revert undoes and Commit keeps. Forks nest.
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

// AddNode adds a node of a template under a name, and places the pods that come with
// it. The error says that the name is taken or that such a pod does not fit; nothing
// has changed then.
func (s *Simulation) AddNode(ctx context.Context, template *Template, name string) error {
	_, refused, err := s.addNode(ctx, template, name)
	if err == nil && refused != "" {
		err = errors.New(refused)
	}
	return err
}

// addNode returns the placements of the pods that come with the node, or why the node
// cannot be added, which changes nothing.
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
	made := template.instance(name)
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
