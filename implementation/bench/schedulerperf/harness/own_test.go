package harness

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

// ownName is what the configuration calls the plugin of this project.
const ownName = "DRA"

// standIn is upstream's plugin under the name of ours, until ours is there. The
// whole file then is: ownName = scheduler.Name, own = scheduler.NewFactory(…).New.
type standIn struct {
	*dynamicresources.DynamicResources
}

func (standIn) Name() string { return ownName }

// own makes the plugin.
func own(ctx context.Context, _ runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	features := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	plugin, err := dynamicresources.New(ctx, &config.DynamicResourcesArgs{}, handle, features)
	if err != nil {
		return nil, err
	}
	return standIn{plugin.(*dynamicresources.DynamicResources)}, nil
}
