package harness

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	draplugin "github.com/dra-conformance/dratest/implementation/cmd/dra-scheduler/plugin"
	"github.com/dra-conformance/dratest/implementation/scheduler"
)

// ownName is the name of this project's plugin in configurations.
const ownName = scheduler.Name

// own makes the plugin for a scheduler of its own, like dra-scheduler.
func own(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	return draplugin.Factory().New(ctx, args, handle)
}
