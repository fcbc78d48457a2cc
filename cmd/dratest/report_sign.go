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
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/sign"
	"github.com/dra-conformance/dratest/reports/sign/keyless"
)

// signFlags configure the signature of a report.
type signFlags struct {
	key     string
	keyless bool
	options keyless.Options
}

func (f *signFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.key, "sign-key", "", "private key file that signs the report (see dratest report keygen)")
	flags.BoolVar(&f.keyless, "sign-keyless", false, "sign the report with a Sigstore certificate for an OIDC token: $"+keyless.TokenVariable+", or that of GitHub Actions")
	flags.StringVar(&f.options.TokenFile, "id-token", "", "with --sign-keyless: file with the OIDC token")
	flags.StringVar(&f.options.SigningConfig, "signing-config", "", "with --sign-keyless: services of a Sigstore instance, a signing_config.json (default: the public instance)")
	flags.StringVar(&f.options.TrustedRoot, "trusted-root", "", "with --sign-keyless: keys of a Sigstore instance, a trusted_root.json (default: the public instance)")
}

// signer returns nil without flags. It checks all prerequisites of a signature early, before the run.
func (f signFlags) signer(ctx context.Context) (sign.Signer, error) {
	switch {
	case f.key != "" && f.keyless:
		return nil, withCode(codeUsage, errors.New("use either --sign-key or --sign-keyless"))
	case !f.keyless && (f.options != keyless.Options{}):
		return nil, withCode(codeUsage, errors.New("--id-token, --signing-config and --trusted-root need --sign-keyless"))
	case f.key != "":
		key, err := readKey("sign-key", f.key, sign.PrivateKey)
		if err != nil {
			return nil, err
		}
		return *key, nil
	case f.keyless:
		signer, err := keyless.New(ctx, f.options)
		if err != nil {
			return nil, withCode(codeUsage, fmt.Errorf("sign-keyless: %w", err))
		}
		return signer, nil
	}
	return nil, nil
}

// signerFlags select the expected signer of a report.
type signerFlags struct {
	key, identity, issuer, trustedRoot string
}

func (f *signerFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.key, "key", "", "public key file of the signer")
	flags.StringVar(&f.identity, "certificate-identity", "", "identity in the certificate of a keyless signer, for example the URL of a workflow in GitHub")
	flags.StringVar(&f.issuer, "certificate-oidc-issuer", "", "issuer of the OIDC token of that signer")
	for old, name := range map[string]string{"identity": "certificate-identity", "issuer": "certificate-oidc-issuer"} {
		alias := *flags.Lookup(name)
		alias.Name, alias.Hidden = old, true
		flags.AddFlag(&alias)
	}
	flags.StringVar(&f.trustedRoot, "trusted-root", "", "with --certificate-identity: keys of a Sigstore instance, a trusted_root.json (default: fetched from the public instance)")
}

func (f signerFlags) read() (s signers, err error) {
	if (f.identity == "") != (f.issuer == "") || f.identity == "" && f.trustedRoot != "" {
		return s, withCode(codeUsage, errors.New("a keyless signature is verified with --certificate-identity and --certificate-oidc-issuer"))
	}
	if f.key != "" {
		if s.key, err = readKey("key", f.key, sign.PublicKey); err != nil {
			return s, err
		}
	}
	if f.identity != "" {
		trusted, err := keyless.TrustedRoot(f.trustedRoot)
		if err != nil {
			return s, withCode(codeUsage, err)
		}
		s.keyless = &keyless.Policy{Identity: f.identity, Issuer: f.issuer, Trusted: trusted}
	}
	return s, nil
}

// signers are expected to have signed a report; nil for none.
type signers struct {
	key     *sign.Key
	keyless *keyless.Policy
}

func (s signers) verify(ctx context.Context, dir fs.FS) (found signatures, reasons []string, err error) {
	if found.key, reasons, err = sign.Verify(ctx, dir, s.key); err != nil {
		return found, nil, err
	}
	var more []string
	found.keyless, more, err = keyless.Verify(dir, s.keyless)
	return found, append(reasons, more...), err
}

// signatures are those of a report.
type signatures struct {
	key     sign.Signature
	keyless keyless.Signature
}

func (s signatures) String() string {
	var lines []string
	switch {
	case s.key.Checked:
		lines = append(lines, "It is signed with key "+s.key.KeyID+".")
	case s.key.Signed:
		lines = append(lines, "It has a signature by a key. --key checks it.")
	}
	switch {
	case s.keyless.Checked:
		lines = append(lines, fmt.Sprintf("It is signed by %s (%s) at %s.", s.keyless.Identity, s.keyless.Issuer, s.keyless.Time.UTC().Format(time.RFC3339)))
	case s.keyless.Signed:
		lines = append(lines, fmt.Sprintf("It claims to be signed by %q (%q). --certificate-identity and --certificate-oidc-issuer check this.", s.keyless.Identity, s.keyless.Issuer))
	}
	if lines == nil {
		return "It is not signed: whoever had the files may have changed them all alike."
	}
	return strings.Join(lines, "\n")
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

func newSignCommand() *cobra.Command {
	var f signFlags
	cmd := &cobra.Command{
		Use:   "sign [DIRECTORY]",
		Short: "Sign a report after the run",
		Long: `Verify a report (default: $ARTIFACTS or ./_artifacts) and sign it, with --sign-key or
--sign-keyless. In a directory with several reports (run --matrix, --repeat), all are
signed. An invalid report is not signed.

In CI, a job of its own can sign: only that job needs the key, or the permission to
request OIDC tokens.`,
		Args: usage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			signer, err := f.signer(cmd.Context())
			if err == nil && signer == nil {
				err = withCode(codeUsage, errors.New("use --sign-key or --sign-keyless"))
			}
			if err != nil {
				return err
			}
			return signAll(cmd, reports.Dir(append(args, "")[0]), signer)
		},
	}
	f.add(cmd.Flags())
	return cmd
}

// signAll signs the report in a directory, or all reports of a matrix or of repeated runs, if all hold.
func signAll(cmd *cobra.Command, dir string, signer sign.Signer) error {
	if err := verifyAll(cmd, dir, signers{}); err != nil {
		return err
	}
	folders, _, err := side(dir)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if err := sign.Directory(cmd.Context(), filepath.Join(dir, folder), signer); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d report(s) signed\n", len(folders))
	return err
}

func newKeygenCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "keygen [NAME]",
		Short: "Create a key pair for signing reports",
		Long: `Create an ed25519 key pair: NAME.pem (default: dratest.pem) signs reports with
"dratest run --sign-key"; keep it secret. NAME.pub.pem verifies them. Existing files
are not replaced.`,
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
