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
func NewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: name,
		Long: "dra-controller-manager runs the controllers of dynamic resource allocation (DRA): it creates ResourceClaims\n" +
			"from templates, cleans up after pods, and evicts pods from devices with NoExecute taints. It stands in for\n" +
			"kube-controller-manager, where these controllers have to be turned off.",
		Args:         cobra.NoArgs,
		SilenceUsage: true,
	}
	o, err := newOptions()
	if err != nil {
		// The defaults are compiled in: this cannot be helped by whoever calls.
		panic(fmt.Errorf("set up %s: %w", name, err))
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
