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
	"time"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/reports"
)

func newBadgeCommand() *cobra.Command {
	var link string
	cmd := &cobra.Command{
		Use:   "badge [DIRECTORY]",
		Short: "Print a line for a driver's README from its certificate",
		Long: `Print a line of Markdown for the README of a driver that is certified, from the
certificate that "dratest certify" has left in a directory (default $ARTIFACTS, or
./_artifacts). The image is one of shields.io.

Exit codes: 0 there is one; 1 the driver is not certified, or its certificate has
expired; 2 there is no certificate.`,
		Args: usage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := certify.ReadCertificate(reports.Dir(append(args, "")[0]))
			if err != nil {
				return withCode(codeUsage, fmt.Errorf("%w: `dratest certify` writes it", err))
			}
			badge, err := c.Badge(link, time.Now())
			if err != nil {
				return withCode(codeCasesFailed, err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), badge)
			return err
		},
	}
	cmd.Flags().StringVar(&link, "link", "", "link target of the badge, for example the published certificate (default: website of dratest)")
	return cmd
}
