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

package app

import (
	"fmt"

	"github.com/spf13/cobra"
	apiserver "k8s.io/apiserver/pkg/server"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/term"
	"k8s.io/component-base/version/verflag"
)

// NewCommand returns the command dra-controller-manager.
func NewCommand() *cobra.Command { return controllerManager().Command() }

// Command returns the program's cobra command.
func (p Program) Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:          p.Name,
		Long:         p.Long,
		Args:         cobra.NoArgs,
		SilenceUsage: true,
	}
	o, err := newOptions(p)
	if err != nil {
		// The defaults are compiled in: callers cannot fix them.
		panic(fmt.Errorf("set up %s: %w", p.Name, err))
	}
	sets := o.flags()
	for _, set := range sets.FlagSets {
		cmd.Flags().AddFlagSet(set)
	}
	columns, _, _ := term.TerminalSize(cmd.OutOrStdout())
	cliflag.SetUsageAndHelpFunc(cmd, sets, columns)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		verflag.PrintAndExitIfRequested()
		if err := logsapi.ValidateAndApply(o.logs, utilfeature.DefaultFeatureGate); err != nil {
			return err
		}
		cliflag.PrintFlags(cmd.Flags())
		c, err := o.config()
		if err != nil {
			return err
		}
		return run(apiserver.SetupSignalContext(), c)
	}
	return cmd
}
