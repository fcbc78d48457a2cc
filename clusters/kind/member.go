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
	"fmt"
	"io"
	"slices"
	"strings"

	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/staticpod"
)

// member is a node with command access.
type member struct{ nodes.Node }

var _ staticpod.Node = member{}

// Run runs a command on the node and returns its standard output. The input may
// be nil.
func (m member) Run(ctx context.Context, input io.Reader, args ...string) (string, error) {
	var out, said strings.Builder
	cmd := m.CommandContext(ctx, args[0], args[1:]...).SetStdout(&out).SetStderr(&said)
	if input != nil {
		cmd = cmd.SetStdin(input)
	}
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return "", fmt.Errorf("on %s: %s: %w: %s", m, args[0], err, strings.TrimSpace(said.String()))
	}
	return out.String(), nil
}

// controlPlane is the cluster's one control plane node.
func (s parts) controlPlane(name string) (member, error) {
	all, err := s.maker.ListNodes(name)
	if err != nil {
		return member{}, fmt.Errorf("list nodes: %w", err)
	}
	node, err := nodeutils.BootstrapControlPlaneNode(all)
	if err != nil {
		return member{}, fmt.Errorf("find the control plane: %w", err)
	}
	return member{node}, nil
}

// load imports an image into the node's container runtime if it is missing.
func (m member) load(ctx context.Context, image clusters.ComponentImage) (loaded bool, err error) {
	const namespace = "--namespace=k8s.io"
	there, err := m.Run(ctx, nil, "ctr", namespace, "images", "list", "--quiet", "name=="+image.Ref)
	if err != nil {
		return false, err
	}
	if slices.Contains(strings.Fields(there), image.Ref) {
		return false, nil
	}
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(image.Archive(w)) }()
	// Pinned: the kubelet's image collection must leave it alone.
	_, err = m.Run(ctx, r, "ctr", namespace, "images", "import", "--label=io.cri-containerd.pinned=pinned", "-")
	_ = r.Close() // ends Archive if the import has stopped reading
	if err != nil {
		return false, fmt.Errorf("load image %s: %w", image.Ref, err)
	}
	// The kubelet's image service sees the image a moment later. Until then the kubelet would try to pull it and back
	// off.
	err = poll(ctx, func(ctx context.Context) (string, error) {
		_, err := m.Run(ctx, nil, "crictl", "inspecti", "--quiet", image.Ref)
		return "", err
	})
	return err == nil, err
}
