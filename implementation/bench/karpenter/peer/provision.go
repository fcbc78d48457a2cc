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

package peer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"unique"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/clock"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	provisioning "sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/scheduling/dynamicresources"

	"github.com/dra-conformance/dratest/implementation/simulation"
)

// ErrTooSlow means karpenter had no answer when the context ended.
var ErrTooSlow = errors.New("karpenter took too long")

// Growth is karpenter's plan for waiting pods.
type Growth struct {
	// Placed counts pods with a node, old or new; Existing those with an old one.
	Placed, Existing int
	// Cost is the cost of the new nodes.
	Cost int64
	New  []NewNode
	// Refused is the reason of some pod without a node.
	Refused string
}

// NewNode is a new node planned by karpenter. The group is left open; Group is the cheapest
// remaining one.
type NewNode struct {
	Group *simulation.Group
	// Claims of its pods, and the devices of each, by their names in the group.
	Claims      []types.NamespacedName
	Allocations []resourceapi.AllocationResult
}

// Provision runs karpenter's scheduler for the waiting pods of a cluster. The groups are instance
// types of one node pool: karpenter decides among them as it goes. Karpenter does not manage the
// cluster's nodes, and of their pods only resource requests count.
func Provision(ctx context.Context, objects simulation.Objects, groups []*simulation.Group) (*Growth, error) {
	growth, err := provision(ctx, objects, groups)
	if ctx.Err() != nil { // then a step failed because of it, or the result is incomplete
		return nil, ErrTooSlow
	}
	return growth, err
}

func provision(ctx context.Context, objects simulation.Objects, groups []*simulation.Group) (*Growth, error) {
	ctx = options.ToContext(Quiet(ctx), &options.Options{
		PreferencePolicy: options.PreferencePolicyRespect, MinValuesPolicy: options.MinValuesPolicyStrict,
	})
	api := newObjects(objects.Classes, objects.Claims)
	devices, err := inUse(ctx, api)
	if err != nil {
		return nil, err
	}
	pool := nodePool()
	offered := map[string][]*cloudprovider.InstanceType{pool.Name: instanceTypes(groups)}
	var pending []*corev1.Pod
	for _, pod := range objects.Pods {
		if pod.Spec.NodeName == "" {
			pending = append(pending, pod.DeepCopy())
		}
	}
	nodes := stateNodes(objects)
	cluster := state.NewCluster(clock.RealClock{}, api, nil)
	topology, err := provisioning.NewTopology(ctx, api, cluster, nodes, []*v1.NodePool{pool}, offered, pending)
	if err != nil {
		return nil, fmt.Errorf("karpenter: %w", err)
	}
	allocator := dynamicresources.NewAllocator(published(objects.Slices), devices, dynamicresources.BuildAttributeBindings(offered), api, nil)
	scheduler := provisioning.NewScheduler(ctx, api, []*v1.NodePool{pool}, cluster, nodes, topology, offered, nil,
		events.NewRecorder(&record.FakeRecorder{}), clock.RealClock{}, nil, allocator)
	results, err := scheduler.Solve(ctx, pending)
	if err != nil {
		return nil, fmt.Errorf("karpenter: %w", err)
	}
	return growthOf(results, groups), nil
}

func growthOf(results provisioning.Results, groups []*simulation.Group) *Growth {
	growth := &Growth{}
	for _, claim := range results.NewNodeClaims {
		growth.Placed += len(claim.Pods)
		left := slices.DeleteFunc(slices.Clone(groups), func(g *simulation.Group) bool {
			return !slices.ContainsFunc(claim.InstanceTypeOptions, func(option *cloudprovider.InstanceType) bool { return option.Name == g.Name })
		})
		added := NewNode{Group: slices.MinFunc(left, func(a, b *simulation.Group) int { return cmp.Compare(price(a), price(b)) })}
		growth.Cost += price(added.Group)
		for _, pod := range claim.Pods {
			for i := range pod.Spec.ResourceClaims {
				name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
				if err != nil || name == nil {
					continue
				}
				key := types.NamespacedName{Namespace: pod.Namespace, Name: *name}
				added.Claims = append(added.Claims, key)
				var of resourceapi.AllocationResult
				if meta := results.DRAClaimAllocationMetadata[key]; meta != nil {
					of = allocation(meta.Devices[unique.Make(added.Group.Name)])
				}
				added.Allocations = append(added.Allocations, of)
			}
		}
		growth.New = append(growth.New, added)
	}
	for _, node := range results.ExistingNodes {
		growth.Existing += len(node.Pods)
	}
	growth.Placed += growth.Existing
	for pod, err := range results.PodErrors {
		growth.Refused = fmt.Sprintf("%s: %v", pod.Name, err)
		break
	}
	return growth
}

// price is the cost of a node, by default 1.
func price(g *simulation.Group) int64 { return max(1, g.Cost) }

// nodePool contains all groups as instance types.
func nodePool() *v1.NodePool {
	pool := &v1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: "groups", UID: "groups"}}
	pool.Spec.Template.Spec.NodeClassRef = &v1.NodeClassReference{Group: "example.com", Kind: "NodeClass", Name: "any"}
	return pool
}

func instanceTypes(groups []*simulation.Group) []*cloudprovider.InstanceType {
	all := make([]*cloudprovider.InstanceType, len(groups))
	for i, group := range groups {
		where := map[string]string{v1.CapacityTypeLabelKey: v1.CapacityTypeOnDemand, corev1.LabelTopologyZone: "zone"}
		labels := map[string]string{corev1.LabelInstanceTypeStable: group.Name, corev1.LabelArchStable: "amd64", corev1.LabelOSStable: "linux"}
		for key, value := range where {
			labels[key] = value
		}
		for key, value := range group.Node.Labels {
			if key != corev1.LabelHostname {
				labels[key] = value
			}
		}
		all[i] = &cloudprovider.InstanceType{
			Name: group.Name, Requirements: scheduling.NewLabelRequirements(labels),
			Offerings: cloudprovider.Offerings{{
				Requirements: scheduling.NewLabelRequirements(where), Price: float64(price(group)), Available: true,
			}},
			Capacity:         group.Node.Status.Allocatable,
			DynamicResources: cloudprovider.DynamicResources{ResourceSliceTemplates: expected(group.Slices)},
			Overhead:         &cloudprovider.InstanceTypeOverhead{},
		}
	}
	return all
}
