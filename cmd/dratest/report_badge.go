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
	var f signerFlags
	cmd := &cobra.Command{
		Use:   "badge [DIRECTORY]",
		Short: "Print a badge for a certified driver",
		Long: `Verify the report directory of "dratest certify" (default: $ARTIFACTS or
./_artifacts) and print a Markdown badge for the driver's README. shields.io serves
the image.

Exit codes: 0 badge printed; 1 the report is invalid, the driver is not certified,
or the certificate has expired; 2 no certificate.`,
		Args: usage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			expected, err := f.read()
			if err != nil {
				return err
			}
			dir := reports.Dir(append(args, "")[0])
			c, _, err := verified(cmd, dir, expected)
			if err != nil {
				return err
			}
			if c.Certificate == nil {
				return withCode(codeUsage, fmt.Errorf("%s has no certificate: \"dratest certify\" writes one", dir))
			}
			badge, err := certify.Badge(*c.Certificate, link, time.Now())
			if err != nil {
				return withCode(codeCasesFailed, err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), badge)
			return err
		},
	}
	cmd.Flags().StringVar(&link, "link", "", "link target of the badge, for example the published certificate (default: website of dratest)")
	f.add(cmd.Flags())
	return cmd
}
