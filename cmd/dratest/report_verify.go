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
	"os"
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
	"github.com/dra-conformance/dratest/reports/sign"
	"github.com/dra-conformance/dratest/reports/verify"
	"github.com/dra-conformance/dratest/suites/requirements"
	"github.com/dra-conformance/dratest/suites/sanity"
	upgrade "github.com/dra-conformance/dratest/upgrade/run"
)

func newVerifyCommand() *cobra.Command {
	var keyFile string
	cmd := &cobra.Command{
		Use:   "verify [DIRECTORY]",
		Short: "Check that the files of a report agree with each other, and their signature",
		Long: `Check that the files of a report (default those in $ARTIFACTS, or ./_artifacts)
agree with each other and with the cases that this version of the suite requires,
and that the report is signed with a key. Of a directory with several reports (run
--matrix, --repeat), all are checked. No cluster and no network is needed.

Exit codes: 0 it holds, whatever its result is; 1 it does not, with a line for each
reason; 2 there is no report, or it is one of another version. docs/evidence.md
says what only a signature notices.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := publicKey(keyFile)
			if err != nil {
				return err
			}
			return verifyAll(cmd, reports.Dir(append(args, "")[0]), key)
		},
	}
	cmd.Flags().StringVar(&keyFile, "key", "", "public key file of the signer")
	return cmd
}

// verifyAll verifies the report in a directory, or all reports of a matrix or of repeated runs.
func verifyAll(cmd *cobra.Command, dir string, key *sign.Key) error {
	folders, reasons, err := side(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, folder := range folders {
		if len(folders) > 1 {
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "== %s\n", spec.Printable(folder))
		}
		c, signature, err := verified(cmd, filepath.Join(dir, folder), key)
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

// side returns the report folders of a directory, and the problems of their matrix.
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
func verified(cmd *cobra.Command, dir string, key *sign.Key) (c schema.ConformanceReport, s sign.Signature, err error) {
	opened, err := files.Open(dir)
	if err != nil {
		return c, s, withCode(codeUsage, fmt.Errorf("verify: there is no conformance report: %w", err))
	}
	defer func() { _ = opened.Close() }()
	c, reasons, err := verify.Directory(opened, rules())
	if errors.Is(err, fs.ErrNotExist) {
		err = unsealed(dir, err)
	}
	if err != nil {
		return c, s, withCode(codeUsage, fmt.Errorf("verify %s: %w", dir, err))
	}
	s, more, err := sign.Verify(cmd.Context(), opened, key)
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

func printVerified(out io.Writer, c schema.ConformanceReport, s sign.Signature) error {
	by := "It is not signed: whoever had the files may have changed them all alike."
	switch {
	case s.Checked:
		by = "It is signed with key " + s.KeyID + "."
	case s.Signed:
		by = "It has a signature, which --key would check."
	}
	about := ""
	switch {
	case c.Profile != nil:
		about = fmt.Sprintf(" for profile %s", c.Profile)
	case c.Selected() != "":
		about = " for a " + c.Selected()
	}
	says := fmt.Sprintf("The report holds. Its result is %s%s. On Kubernetes %s: %s.", c.Result, about, c.Cluster.Kubernetes, c.Summary)
	if d := c.Certificate; d != nil {
		says = fmt.Sprintf("The certificate holds. %s %s is %s (%s) on Kubernetes %s: %s.", d.Driver, d.Identity.Version, d.Verdict, d.Profile, d.Kubernetes, c.Summary)
		if !d.Expires.IsZero() {
			says += " It expires on " + d.Expires.Format(time.DateOnly) + "."
		}
	}
	if !rules()[cmp.Or(c.Engine, schema.EngineRun)].Wrote(c) {
		says += fmt.Sprintf("\nAnother build of dratest wrote it (%s): of %s only the digests were compared.",
			strings.Join(strings.Fields(c.Suite.Version+" "+c.Suite.Commit), " "), strings.Join([]string{reports.HTMLFile, reports.MarkdownFile, reports.JUnitFile}, ", "))
	}
	_, err := fmt.Fprintf(out, "%s\n%s\n", spec.Printable(says), by)
	return err
}

// rules returns this build's verification rules per engine.
func rules() map[schema.Engine]verify.Rules {
	of := func(required []schema.RequiredCase) verify.Rules {
		return verify.Rules{Required: required, Versions: profile.Versions(), Build: reports.SuiteVersion()}
	}
	metas := func(metas []spec.Meta) verify.Rules { return of(schema.Required(metas, requirements.All())) }
	drivers, upgrades := metas(run.Metas(certify.Cases(parts().Cases))), of(upgrade.Required(upgradeParts()))
	drivers.Certificate, drivers.Subject, upgrades.Record = certify.Derive, certify.Declared, upgrade.Verify
	return map[schema.Engine]verify.Rules{
		schema.EngineRun: metas(run.Metas(parts().Cases)), schema.EngineCertify: drivers, schema.EngineSanity: metas(sanity.Metas()), schema.EngineUpgrade: upgrades,
	}
}

// publicKey reads the key of --key; nil if the flag is unset.
func publicKey(file string) (*sign.Key, error) {
	if file == "" {
		return nil, nil
	}
	return readKey("key", file, sign.PublicKey)
}

// readKey reads a key from the file in a flag.
func readKey(flag, file string, read func([]byte) (sign.Key, error)) (*sign.Key, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, withCode(codeUsage, fmt.Errorf("%s: %w", flag, err))
	}
	key, err := read(data)
	if err != nil {
		return nil, withCode(codeUsage, fmt.Errorf("%s: %s: %w", flag, file, err))
	}
	return &key, nil
}

func newKeygenCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "keygen [NAME]",
		Short: "Make a key that signs reports",
		Long: `Make an ed25519 key: NAME.pem (default dratest.pem) signs reports with
"dratest run --sign-key", and is to be kept secret; NAME.pub.pem is for those who
verify them. Files that are there are not replaced.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := append(args, "dratest")[0]
			private, public, err := sign.NewKey()
			if err != nil {
				return err
			}
			key, err := sign.PublicKey(public)
			if err != nil {
				return err
			}
			if err := writeNew(name+".pem", private, 0o600); err != nil {
				return err
			}
			if err := writeNew(name+".pub.pem", public, 0o644); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s.pem signs reports, %s.pub.pem verifies them; the key's ID is %s\n", name, name, key.ID)
			return err
		},
	}
}

// writeNew creates a file; an existing one is an error.
func writeNew(name string, data []byte, mode os.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return withCode(codeUsage, fmt.Errorf("%s is there already: choose another name", name))
	}
	if err != nil {
		return fmt.Errorf("write key: %w", err)
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
