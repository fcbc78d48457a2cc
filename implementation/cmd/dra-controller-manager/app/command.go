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

// NewCommand is the command dra-controller-manager.
func NewCommand() *cobra.Command { return controllerManager().Command() }

// Command is the program as a command.
func (p Program) Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:          p.Name,
		Long:         p.Long,
		Args:         cobra.NoArgs,
		SilenceUsage: true,
	}
	o, err := newOptions(p)
	if err != nil {
		// The defaults are compiled in: this cannot be helped by whoever calls.
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
