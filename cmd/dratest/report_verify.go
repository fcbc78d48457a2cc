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
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/files"
	"github.com/dra-conformance/dratest/reports/matrix"
	"github.com/dra-conformance/dratest/reports/profile"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/verify"
	"github.com/dra-conformance/dratest/suites/requirements"
	"github.com/dra-conformance/dratest/suites/sanity"
	upgrade "github.com/dra-conformance/dratest/upgrade/run"
)

func newVerifyCommand() *cobra.Command {
	var f signerFlags
	cmd := &cobra.Command{
		Use:   "verify [DIRECTORY]",
		Short: "Verify the files and the signature of a report",
		Long: `Check that the files of a report (default: $ARTIFACTS or ./_artifacts) agree with
each other and with the cases required by this version of dratest, and verify the
signature: by --key, or keyless by --certificate-identity. In a directory with several
reports (run --matrix, --repeat), all are checked. No cluster is needed; the network
only for --certificate-identity without --trusted-root. docs/evidence.md lists the
changes that only a signature detects.

Exit codes: 0 the report is valid, whatever its result; 1 it is invalid, with a line
per reason; 2 no report, or a report of another format version.`,
		Example: `  dratest report verify results --key example.pub.pem
  dratest report verify results --certificate-oidc-issuer https://token.actions.githubusercontent.com \
    --certificate-identity https://github.com/example/driver/.github/workflows/dra.yaml@refs/heads/main`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			expected, err := f.read()
			if err != nil {
				return err
			}
			return verifyAll(cmd, reports.Dir(append(args, "")[0]), expected)
		},
	}
	f.add(cmd.Flags())
	return cmd
}

// verifyAll verifies the report in a directory, or all reports of a matrix or of repeated runs.
func verifyAll(cmd *cobra.Command, dir string, expected signers) error {
	folders, reasons, err := side(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, folder := range folders {
		if len(folders) > 1 {
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "== %s\n", spec.Printable(folder))
		}
		c, signature, err := verified(cmd, filepath.Join(dir, folder), expected)
		if err == nil {
			err = printVerified(cmd.OutOrStdout(), c, signature)
		}
		errs = append(errs, err)
	}
	for _, reason := range reasons {
		errs = append(errs, withCode(codeCasesFailed, errors.New(spec.Printable(reason))))
	}
	return worst(slices.DeleteFunc(errs, func(err error) bool { return err == nil }))
}

// side returns the report directories of a directory, and the problems of their matrix.
func side(dir string) (folders, reasons []string, err error) {
	opened, err := files.Open(dir)
	if err != nil {
		return []string{"."}, nil, nil // verified returns the error
	}
	defer func() { _ = opened.Close() }()
	if _, err := opened.Open(reports.ConformanceFile); !errors.Is(err, fs.ErrNotExist) {
		return []string{"."}, nil, nil
	}
	if folders, err = matrix.Reports(opened); err != nil || len(folders) == 0 {
		return []string{"."}, nil, err
	}
	return folders, matrix.Verify(opened, folders), nil
}

// verified verifies the report in a directory and prints the reasons of a failure.
func verified(cmd *cobra.Command, dir string, expected signers) (c schema.ConformanceReport, s signatures, err error) {
	opened, err := files.Open(dir)
	if err != nil {
		return c, s, missing(dir, reports.ConformanceFile, err)
	}
	defer func() { _ = opened.Close() }()
	c, reasons, err := verify.Directory(opened, rules())
	if err != nil {
		return c, s, missing(dir, reports.ConformanceFile, err)
	}
	s, more, err := expected.verify(cmd.Context(), opened)
	if err != nil {
		return c, s, withCode(codeUsage, fmt.Errorf("verify %s: %w", dir, err))
	}
	if reasons = append(reasons, more...); len(reasons) > 0 {
		for _, reason := range reasons {
			_, _ = fmt.Fprintln(cmd.OutOrStdout(), strings.Join(strings.Fields(spec.Printable(reason)), " "))
		}
		return c, s, withCode(codeCasesFailed, fmt.Errorf("the report in %s does not hold, for %d reason(s)", dir, len(reasons)))
	}
	return c, s, nil
}

func printVerified(out io.Writer, c schema.ConformanceReport, s signatures) error {
	about := ""
	switch {
	case c.Profile != nil:
		about = fmt.Sprintf(" for profile %s", c.Profile)
	case c.Selected() != "":
		about = " for a " + c.Selected()
	}
	message := fmt.Sprintf("The report holds. Its result is %s%s. On Kubernetes %s: %s.", c.Result, about, c.Cluster.Kubernetes, c.Summary)
	if d := c.Certificate; d != nil {
		message = fmt.Sprintf("The certificate holds. %s %s is %s (%s) on Kubernetes %s: %s.", d.Driver, d.Identity.Version, d.Verdict, d.Profile, d.Kubernetes, c.Summary)
		if !d.Expires.IsZero() {
			message += " It expires on " + d.Expires.Format(time.DateOnly) + "."
		}
	}
	if !rules()[cmp.Or(c.Engine, schema.EngineRun)].Wrote(c) {
		message += fmt.Sprintf("\nAnother build of dratest wrote it (%s): of %s only the digests were compared.",
			strings.Join(strings.Fields(c.Suite.Version+" "+c.Suite.Commit), " "), strings.Join([]string{reports.HTMLFile, reports.MarkdownFile, reports.JUnitFile}, ", "))
	}
	_, err := fmt.Fprintf(out, "%s\n%s\n", spec.Printable(message), spec.Printable(s.String()))
	return err
}

// rules returns this build's verification rules per engine.
func rules() map[schema.Engine]verify.Rules {
	of := func(required []schema.RequiredCase) verify.Rules {
		return verify.Rules{Required: required, Versions: profile.Versions(), Build: reports.SuiteVersion()}
	}
	metas := func(metas []spec.Meta) verify.Rules { return of(schema.Required(metas, requirements.All())) }
	drivers, upgrades := metas(certifyMetas()), of(upgrade.Required(upgradeParts()))
	drivers.Certificate, drivers.Subject, upgrades.Record = certify.Derive, certify.Declared, upgrade.Verify
	return map[schema.Engine]verify.Rules{
		schema.EngineRun: metas(run.Metas(parts().Cases)), schema.EngineCertify: drivers, schema.EngineSanity: metas(sanity.Metas()), schema.EngineUpgrade: upgrades,
	}
}
