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

package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// usageErrors marks wrong arguments and unknown commands below root as usage errors, as cobra does not
// classify its errors.
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
