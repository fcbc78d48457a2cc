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

package startup

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/flagz"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/version/verflag"
	zpagesfeatures "k8s.io/component-base/zpages/features"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet"
	kubeletserver "k8s.io/kubernetes/pkg/kubelet/server"
)

// Run runs the kubelet until ctx ends.
type Run func(ctx context.Context, server *options.KubeletServer, deps *kubelet.Dependencies) error

// Command returns the stock kubelet command, including its texts, with run in place of the kubelet.
func Command(ctx context.Context, run Run) *cobra.Command {
	cmd := app.NewKubeletCommand(ctx)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		line, err := parse(args)
		if err != nil {
			return err
		}
		if line.help {
			return cmd.Help()
		}
		verflag.PrintAndExitIfRequested()
		server, err := line.server(ctx)
		if err != nil {
			return err
		}
		return start(ctx, line, server, run)
	}
	return cmd
}

// start logs and validates the configuration, creates the dependencies and calls run.
func start(ctx context.Context, line *commandLine, server *options.KubeletServer, run Run) error {
	if err := initLogging(ctx, line.set, &server.KubeletConfiguration); err != nil {
		return err
	}
	if err := validate(ctx, &server.KubeletConfiguration); err != nil {
		return err
	}
	deps, err := app.UnsecuredDependencies(ctx, server, utilfeature.DefaultFeatureGate)
	if err != nil {
		return fmt.Errorf("construct kubelet dependencies: %w", err)
	}
	if utilfeature.DefaultFeatureGate.Enabled(zpagesfeatures.ComponentFlagz) {
		sets := cliflag.NamedFlagSets{}
		sets.FlagSet(kubeletserver.ComponentKubelet).AddFlagSet(line.set)
		deps.Flagz = flagz.NamedFlagSetsReader{FlagSets: sets}
	}
	if uid := os.Getuid(); uid != 0 {
		klog.FromContext(ctx).Info("The kubelet needs to run as root", "uid", uid)
	}
	ctx = genericapiserver.SetupSignalContext()
	utilfeature.DefaultMutableFeatureGate.AddMetrics()
	return run(ctx, server, deps)
}
