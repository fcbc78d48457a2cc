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
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// nodes implements the framework's view of nodes and their pods. Everything else (pod groups) is
// empty.
type nodes struct {
	*internalcache.Snapshot
	list   []*framework.NodeInfo // in the order pods try them
	infos  []fwk.NodeInfo        // the same
	byName map[string]*framework.NodeInfo
	// affine: a pod with pod affinity was added at some time.
	affine bool
}

func newNodes(objects []*v1.Node) *nodes {
	n := &nodes{Snapshot: internalcache.NewEmptySnapshot(), byName: make(map[string]*framework.NodeInfo, len(objects))}
	sorted := slices.Clone(objects)
	slices.SortFunc(sorted, func(a, b *v1.Node) int { return strings.Compare(a.Name, b.Name) })
	for _, node := range sorted {
		n.add(node)
	}
	return n
}

func (n *nodes) add(node *v1.Node) {
	info := framework.NewNodeInfo()
	info.SetNode(node)
	n.list, n.infos = append(n.list, info), append(n.infos, info)
	n.byName[node.Name] = info
}

// remove returns its undo function.
func (n *nodes) remove(name string) (undo func()) {
	list, infos, info := n.list, n.infos, n.byName[name]
	n.list = slices.DeleteFunc(slices.Clone(list), func(other *framework.NodeInfo) bool { return other == info })
	n.infos = slices.DeleteFunc(slices.Clone(infos), func(other fwk.NodeInfo) bool { return other == info })
	delete(n.byName, name)
	return func() { n.list, n.infos, n.byName[name] = list, infos, info }
}

// drop removes the last added node.
func (n *nodes) drop() {
	last := len(n.list) - 1
	delete(n.byName, n.list[last].Node().Name)
	n.list, n.infos = n.list[:last], n.infos[:last]
}

// place adds a pod to a node and returns the undo function.
func (n *nodes) place(pod *v1.Pod, name string) (undo func()) {
	info, placed := n.byName[name], pod.DeepCopy()
	placed.Spec.NodeName = name
	n.addPod(placed)
	return func() { take(info, placed) }
}

// addPod adds a pod with a node.
func (n *nodes) addPod(pod *v1.Pod) {
	n.affine = n.affine || hasPodAffinity(pod)
	n.byName[pod.Spec.NodeName].AddPod(pod)
}

func hasPodAffinity(pod *v1.Pod) bool {
	a := pod.Spec.Affinity
	return a != nil && (a.PodAffinity != nil || a.PodAntiAffinity != nil)
}

func take(info *framework.NodeInfo, pod *v1.Pod) {
	if err := info.RemovePod(klog.Background(), pod); err != nil {
		panic(err) // exists
	}
}

// NodeInfos returns the nodes themselves.
func (n *nodes) NodeInfos() fwk.NodeInfoLister { return n }

// List returns all nodes in order.
func (n *nodes) List() ([]fwk.NodeInfo, error) {
	return n.infos, nil
}

// HavePodsWithAffinityList returns the nodes having pods with affinity.
func (n *nodes) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	return n.having(func(info *framework.NodeInfo) bool { return len(info.PodsWithAffinity) > 0 })
}

// HavePodsWithRequiredAntiAffinityList returns the nodes having pods with required anti-affinity.
func (n *nodes) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return n.having(func(info *framework.NodeInfo) bool { return len(info.PodsWithRequiredAntiAffinity) > 0 })
}

// HavePodsWithRequiredNonHostScopedAntiAffinityList returns the nodes having pods with required
// anti-affinity beyond their node.
func (n *nodes) HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]fwk.NodeInfo, error) {
	return n.having(func(info *framework.NodeInfo) bool { return len(info.PodsWithRequiredNonHostScopedAntiAffinity) > 0 })
}

// Get returns a node.
func (n *nodes) Get(name string) (fwk.NodeInfo, error) {
	if info, ok := n.byName[name]; ok {
		return info, nil
	}
	return nil, fmt.Errorf("there is no node %s", name)
}

func (n *nodes) having(chosen func(*framework.NodeInfo) bool) ([]fwk.NodeInfo, error) {
	if !n.affine {
		return nil, nil
	}
	var all []fwk.NodeInfo
	for _, info := range n.list {
		if chosen(info) {
			all = append(all, info)
		}
	}
	return all, nil
}
