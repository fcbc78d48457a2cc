package images

import (
	"context"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

const kubeletProgram = "dra-kubelet"

// Kubelet builds dra-kubelet, which is no image: kubelets run on the node itself.
// Errors are those of Scheduler.
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

// markedValues add build metadata to the version that a program reports, as
// distributions do: a kubelet has no image whose name would say whose it is, and its
// version is what every node shows.
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
