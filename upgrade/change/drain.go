package change

import (
	"context"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubectl/pkg/drain"

	"github.com/dra-conformance/dratest/upgrade/path"
)

// drained evicts a node's pods before its kubelet is replaced, and lets pods in
// again when the new one works. A node whose kubelet does not come back stays closed.
func (c Cluster) drained(ctx context.Context, step path.Step) (Done, error) {
	node, err := c.Client.CoreV1().Nodes().Get(ctx, step.Place.Node, metav1.GetOptions{})
	if err != nil {
		return Done{}, fmt.Errorf("%s: %w", step, err)
	}
	helper := &drain.Helper{
		Ctx: ctx, Client: c.Client, Timeout: c.timeout(), GracePeriodSeconds: -1, // the pod's own
		Force: true, IgnoreAllDaemonSets: true, DeleteEmptyDirData: true, Out: io.Discard, ErrOut: io.Discard,
	}
	if err := drain.RunCordonOrUncordon(helper, node, true); err != nil {
		return Done{}, fmt.Errorf("%s: cordon the node: %w", step, err)
	}
	if err := drain.RunNodeDrain(helper, node.Name); err != nil {
		return Done{}, fmt.Errorf("%s: drain the node: %w", step, err)
	}
	done, err := c.kubelet(ctx, step)
	if err != nil {
		return done, err
	}
	if node, err = c.Client.CoreV1().Nodes().Get(ctx, node.Name, metav1.GetOptions{}); err != nil {
		return done, fmt.Errorf("%s: %w", step, err)
	}
	if err := drain.RunCordonOrUncordon(helper, node, false); err != nil {
		return done, fmt.Errorf("%s: uncordon the node: %w", step, err)
	}
	return done, nil
}
