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

package kind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sigs.k8s.io/kind/pkg/cluster/constants"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/kubelet"
	"github.com/dra-conformance/dratest/framework/spec"
)

// kubeletUsually is the usual time for a kubelet to restart and report its node.
const kubeletUsually = 5 * time.Second

func (s switching) kubelets(ctx context.Context) ([]clusters.Switched, error) {
	if s.to.Kubelet == spec.Own {
		if err := fits("dra-kubelet", s.own.kubelet.Kubernetes, s.record.Version); err != nil {
			return nil, err
		}
	}
	members, err := s.members(s.record.Name, s.to.KubeletNodes)
	if err != nil {
		return nil, err
	}
	done, errs := make([]clusters.Switched, len(members)), make([]error, len(members))
	err = s.progress.Step(fmt.Sprintf("switch kubelet on %d node(s) to %s", len(members), s.to.Kubelet), kubeletUsually, func() error {
		var wg sync.WaitGroup
		for i, node := range members {
			wg.Go(func() { done[i], errs[i] = s.kubelet(ctx, node) })
		}
		wg.Wait()
		return errors.Join(errs...)
	})
	return done, err
}

func (s switching) kubelet(ctx context.Context, node member) (clusters.Switched, error) {
	r := kubelet.Replacement{Program: kubelet.Stock, Version: s.record.Version}
	if s.to.Kubelet == spec.Own {
		var err error
		if r.Program, _, err = kubelet.Place(ctx, node, s.own.kubelet); err != nil {
			return clusters.Switched{}, err
		}
		r.Version += spec.OwnKubeletMark
	}
	done, err := kubelet.Replace(ctx, node, s.client, r)
	return clusters.Switched{Component: "kubelet", Node: node.String(), From: programName(done.From), To: programName(done.To), Downtime: done.Downtime}, err
}

// programName is a kubelet's program for people.
func programName(path string) string {
	if path == kubelet.Stock {
		return string(spec.Stock)
	}
	return path
}

func (s parts) members(cluster string, names []string) ([]member, error) {
	all, err := s.maker.ListNodes(cluster)
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	var found []member
	for _, node := range all {
		found = append(found, member{node})
	}
	slices.SortFunc(found, func(a, b member) int { return strings.Compare(a.String(), b.String()) })
	var there []string
	for _, node := range found {
		there = append(there, node.String())
	}
	wanted, err := pick(names, cluster, there)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(m member) bool { return !slices.Contains(wanted, m.String()) }), nil
}

// pick finds nodes by name, with or without the cluster's name as prefix; no names means all nodes.
func pick(names []string, cluster string, there []string) ([]string, error) {
	if len(names) == 0 {
		return there, nil
	}
	var found []string
	for _, name := range names {
		full := name
		if !slices.Contains(there, full) {
			full = cluster + "-" + name
		}
		if !slices.Contains(there, full) {
			return nil, fmt.Errorf("%w: cluster %q has no node %q, its nodes are %s", clusters.ErrEnvironment, cluster, name, strings.Join(there, ", "))
		}
		found = append(found, full)
	}
	return found, nil
}

// nodeNames are kind's names of the nodes of a cluster.
func nodeNames(c clusters.Config) []string {
	names := []string{c.Name + "-" + constants.ControlPlaneNodeRoleValue}
	for i := range *c.Workers {
		name := c.Name + "-" + constants.WorkerNodeRoleValue
		if i > 0 {
			name += fmt.Sprint(i + 1)
		}
		names = append(names, name)
	}
	return names
}
