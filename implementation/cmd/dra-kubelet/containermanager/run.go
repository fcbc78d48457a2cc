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

package containermanager

import (
	"context"
	"fmt"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/kubelet"
	kubeletmetrics "k8s.io/kubernetes/pkg/kubelet/metrics"

	dra "github.com/dra-conformance/dratest/implementation/kubelet"
)

// Run runs the kubelet with this project's DRA manager until ctx ends.
func Run(ctx context.Context, server *options.KubeletServer, deps *kubelet.Dependencies) error {
	if server.KubeConfig == "" {
		// Without an API server only static pods run, and they cannot have claims.
		return app.Run(ctx, server, deps, utilfeature.DefaultFeatureGate)
	}
	file := newCheckpoint(server.RootDirectory)
	if err := whileLocked(server.LockFilePath, func() error { return file.putAside(ctx) }); err != nil {
		return fmt.Errorf("put the DRA checkpoint aside: %w", err)
	}
	onceManagerExists(deps, func() {
		if err := install(ctx, file, deps); err != nil {
			klog.FromContext(ctx).Error(err, "Failed to install the DRA manager")
			klog.FlushAndExit(klog.ExitFlushTimeout, 1)
		}
	})
	err := app.Run(ctx, server, deps, utilfeature.DefaultFeatureGate)
	// Only needed if the kubelet failed before it created its ContainerManager.
	if err := file.putBack(ctx); err != nil {
		klog.FromContext(ctx).Error(err, "Failed to put the DRA checkpoint back")
	}
	return err
}

// onceManagerExists calls f once deps has an unused ContainerManager. At this moment only, the kubelet
// adjusts its OOM score with a replaceable function and merely logs its error.
func onceManagerExists(deps *kubelet.Dependencies, f func()) {
	adjuster := deps.OOMAdjuster
	adjust := adjuster.ApplyOOMScoreAdj
	adjuster.ApplyOOMScoreAdj = func(pid, score int) error {
		adjuster.ApplyOOMScoreAdj = adjust
		f()
		return adjust(pid, score)
	}
}

// install replaces the ContainerManager in deps.
func install(ctx context.Context, file *checkpoint, deps *kubelet.Dependencies) error {
	if err := file.putBack(ctx); err != nil {
		return fmt.Errorf("put the DRA checkpoint back: %w", err)
	}
	manager, err := dra.New(ctx, dra.Config{
		StateDir: deps.ContainerManager.GetNodeConfig().KubeletRootDir,
		Client:   deps.KubeClient,
		Recorder: deps.Recorder,
		Gates:    gates(),
		Metrics:  operationMetrics{},
	})
	if err != nil {
		return fmt.Errorf("make the DRA manager: %w", err)
	}
	replaceCollector(manager.Collector(kubeletmetrics.DRAResourceClaimsInUseDesc))
	deps.ContainerManager = wrap(ctx, deps.ContainerManager, manager)
	klog.FromContext(ctx).Info("Installed the DRA manager")
	return nil
}

func gates() dra.Gates {
	return dra.Gates{
		DRAExtendedResource:         utilfeature.DefaultFeatureGate.Enabled(features.DRAExtendedResource),
		DRAOptionalNodeOperations:   utilfeature.DefaultFeatureGate.Enabled(features.DRAOptionalNodeOperations),
		DRAWorkloadResourceClaims:   utilfeature.DefaultFeatureGate.Enabled(features.DRAWorkloadResourceClaims),
		ResourceHealthStatus:        utilfeature.DefaultFeatureGate.Enabled(features.ResourceHealthStatus),
		ResourceHealthStatusMessage: utilfeature.DefaultFeatureGate.Enabled(features.ResourceHealthStatusMessage),
	}
}
