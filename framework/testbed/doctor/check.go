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

package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/clusters/host"
	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/framework/testbed/access"
)

// limit bounds a check.
const limit = time.Minute

// facts are the observations behind the rows.
type facts struct {
	target spec.Target
	// unusable is why no case can run.
	unusable error
	// leftOut is why nodes are not used, by name.
	leftOut map[string]string
	// lacks and lacksDisruptive are the missing rights of a run, and those it needs only with --disruptive.
	lacks, lacksDisruptive []access.Right
	// pulled has, for each required image, the workers without it.
	pulled map[string][]string
	// drivers publish ResourceSlices.
	drivers []string
}

// Check examines the cluster of a testbed opened for an existing cluster, and returns a table in a fixed order. images
// are the images that nodes need. It only reads, and takes a few seconds, a minute at most. It returns an error if ctx is
// done, or if an access review or a list of nodes fails.
func Check(ctx context.Context, b *testbed.Testbed, images []string) ([]host.Row, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the API server did not answer within %s", limit))
	defer cancel()
	var f facts
	var err error
	f.target, err = probe.Target(ctx, b.REST)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("check the cluster: %w", context.Cause(ctx))
		}
		row := host.Row{Name: "cluster", State: host.Missing, Found: err.Error(), Advice: "no case can run until this is fixed"}
		if errors.Is(err, probe.ErrUnreachable) || apierrors.IsForbidden(err) {
			row.Advice = "correct the kubeconfig or --context, or give the account rights to list nodes"
		}
		return []host.Row{row}, nil
	}
	b.Target = f.target
	if f.leftOut, err = b.Tolerate(ctx, nil, nil); err != nil {
		return nil, err
	}
	f.unusable = probe.Usable(f.target)
	lacks, err := missing(ctx, b)
	if err != nil {
		return nil, err
	}
	always := access.Of(access.Rules(false))
	for _, r := range lacks {
		if slices.Contains(always, r) {
			f.lacks = append(f.lacks, r)
		} else {
			f.lacksDisruptive = append(f.lacksDisruptive, r)
		}
	}
	if f.pulled, err = without(ctx, b, images); err != nil {
		return nil, err
	}
	f.drivers = drivers(ctx, b)
	return judge(f), nil
}

// missing returns the missing rights of a run with --disruptive, which has all rights of one without.
func missing(ctx context.Context, b *testbed.Testbed) ([]access.Right, error) {
	err := access.Check(ctx, b.Client, access.Rules(true))
	if lacks := (access.MissingError{}); errors.As(err, &lacks) {
		return lacks.Rights, nil
	}
	return nil, err
}

// without returns the workers without each image, according to the nodes' statuses.
func without(ctx context.Context, b *testbed.Testbed, images []string) (map[string][]string, error) {
	nodes, err := b.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	workers, lack := b.Target.Workers(), map[string][]string{}
	for _, image := range images {
		lack[image] = nil
		for _, n := range nodes.Items {
			has := false
			for _, i := range n.Status.Images {
				has = has || slices.Contains(i.Names, image)
			}
			if !has && slices.Contains(workers, n.Name) {
				lack[image] = append(lack[image], n.Name)
			}
		}
	}
	return lack, nil
}

// drivers returns the drivers that publish slices; nil if slices cannot be listed, as the row of rights tells.
func drivers(ctx context.Context, b *testbed.Testbed) []string {
	slicesOf, err := b.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil
	}
	var names []string
	for _, s := range slicesOf.Items {
		names = append(names, s.Spec.Driver)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
