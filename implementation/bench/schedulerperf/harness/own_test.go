package harness

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	draplugin "github.com/dra-conformance/dratest/implementation/cmd/dra-scheduler/plugin"
	"github.com/dra-conformance/dratest/implementation/scheduler"
)

// ownName is what the configuration calls the plugin of this project.
const ownName = scheduler.Name

// own makes the plugin as dra-scheduler does, for a scheduler of its own.
func own(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	return draplugin.Factory().New(ctx, args, handle)
}
