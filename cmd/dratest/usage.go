package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// usageErrors makes wrong arguments and unknown commands, anywhere below root,
// errors of usage; cobra itself does not say which of its errors these are.
func usageErrors(root *cobra.Command) {
	if root.Runnable() || root.HasSubCommands() {
		check, runs := root.Args, root.Runnable()
		root.Args = func(cmd *cobra.Command, args []string) error {
			if check != nil {
				return withCode(codeUsage, check(cmd, args))
			}
			if !runs && cmd.HasSubCommands() && len(args) > 0 {
				return withCode(codeUsage, fmt.Errorf("unknown command %q for %q; see %s --help", args[0], cmd.CommandPath(), cmd.CommandPath()))
			}
			return nil
		}
	}
	if !root.Runnable() {
		root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	for _, sub := range root.Commands() {
		usageErrors(sub)
	}
}
