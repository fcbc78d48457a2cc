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
	"io"

	"github.com/spf13/pflag"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	kubeletserver "k8s.io/kubernetes/pkg/kubelet/server"
)

type commandLine struct {
	args   []string
	set    *pflag.FlagSet
	flags  *options.KubeletFlags
	config *kubeletconfig.KubeletConfiguration // defaults, changed by flags
	help   bool
}

// parse reads the command line instead of cobra, because that would add global flags to the set.
func parse(args []string) (*commandLine, error) {
	config, err := options.NewKubeletConfiguration()
	if err != nil {
		return nil, fmt.Errorf("make the default kubelet configuration: %w", err)
	}
	line := &commandLine{
		args:   args,
		set:    pflag.NewFlagSet(kubeletserver.ComponentKubelet, pflag.ContinueOnError),
		flags:  options.NewKubeletFlags(),
		config: config,
	}
	line.set.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	line.flags.AddFlags(line.set)
	options.AddKubeletConfigFlags(line.set, config)
	options.AddGlobalFlags(line.set)
	line.set.BoolVarP(&line.help, "help", "h", false, "help for kubelet")
	if err := line.set.Parse(args); err != nil {
		return nil, fmt.Errorf("parse the kubelet's flags: %w", err)
	}
	if line.set.NArg() > 0 {
		return nil, fmt.Errorf("unknown command %s", line.set.Arg(0))
	}
	return line, nil
}

// server merges flags and configuration files, and sets their feature gates.
func (l *commandLine) server(ctx context.Context) (*options.KubeletServer, error) {
	if err := setFeatureGates(l.config); err != nil {
		return nil, err
	}
	if err := options.ValidateKubeletFlags(l.flags); err != nil {
		return nil, fmt.Errorf("validate the kubelet's flags: %w", err)
	}
	config := l.config
	if l.flags.KubeletConfigFile != "" {
		var err error
		if config, err = loadFile(ctx, l.flags.KubeletConfigFile); err != nil {
			return nil, fmt.Errorf("load kubelet configuration %s: %w", l.flags.KubeletConfigFile, err)
		}
	}
	if l.flags.KubeletDropinConfigDirectory != "" {
		if err := mergeDropIns(ctx, config, l.flags.KubeletDropinConfigDirectory); err != nil {
			return nil, fmt.Errorf("merge kubelet configurations of %s: %w", l.flags.KubeletDropinConfigDirectory, err)
		}
	}
	if l.flags.KubeletConfigFile != "" || l.flags.KubeletDropinConfigDirectory != "" {
		if err := overrideByFlags(config, l.args); err != nil {
			return nil, err
		}
		if err := setFeatureGates(config); err != nil {
			return nil, err
		}
	}
	return &options.KubeletServer{KubeletFlags: *l.flags, KubeletConfiguration: *config}, nil
}

// overrideByFlags parses args again, into config: a flag overrides the files, feature gate by feature
// gate (kubernetes#56171).
func overrideByFlags(config *kubeletconfig.KubeletConfiguration, args []string) error {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	// Deprecation warnings were printed the first time.
	set.SetOutput(io.Discard)
	addIgnoredGlobals(set)
	options.NewKubeletFlags().AddFlags(set)
	options.AddKubeletConfigFlags(set, config)
	fromFiles := config.FeatureGates
	if err := set.Parse(args); err != nil {
		return fmt.Errorf("parse the kubelet's flags over its configuration: %w", err)
	}
	for gate, enabled := range fromFiles {
		if _, ok := config.FeatureGates[gate]; !ok {
			config.FeatureGates[gate] = enabled
		}
	}
	return nil
}

// addIgnoredGlobals adds the global flags to set but ignores their values, because some accumulate
// when set twice.
func addIgnoredGlobals(set *pflag.FlagSet) {
	globals := pflag.NewFlagSet("", pflag.ContinueOnError)
	globals.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	options.AddGlobalFlags(globals)
	globals.VisitAll(func(flag *pflag.Flag) {
		set.VarP(cliflag.NoOp{}, flag.Name, flag.Shorthand, flag.Usage)
	})
}

// setFeatureGates sets the process's feature gates from config.
func setFeatureGates(config *kubeletconfig.KubeletConfiguration) error {
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(config.FeatureGates); err != nil {
		return fmt.Errorf("set feature gates: %w", err)
	}
	return nil
}
