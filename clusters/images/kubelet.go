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

package images

import (
	"context"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

const kubeletProgram = "dra-kubelet"

// Kubelet builds dra-kubelet, a program rather than an image since kubelets run on the node itself. Errors are those
// of Scheduler.
func (l Local) Kubelet(ctx context.Context, version string) (clusters.ComponentBinary, error) {
	p, err := l.findOwn(kubeletProgram, version)
	if err != nil {
		return clusters.ComponentBinary{}, err
	}
	path, key, err := p.build(ctx)
	if err != nil {
		return clusters.ComponentBinary{}, err
	}
	return clusters.ComponentBinary{Path: path, Key: key[:12], Kubernetes: p.version.Kubernetes}, nil
}

// markedValues add build metadata to the reported version, as distributions do: a kubelet has no image name to
// identify it, but its node shows its version.
func markedValues(values []string) []string {
	var marked []string
	for _, v := range values {
		if strings.Contains(v, ".gitVersion=") {
			v += spec.OwnKubeletMark
		}
		marked = append(marked, v)
	}
	return marked
}
