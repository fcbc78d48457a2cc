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

package keyless

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/sign"
	"github.com/sigstore/sigstore-go/pkg/verify"

	"github.com/dra-conformance/dratest/reports"
	ours "github.com/dra-conformance/dratest/reports/sign"
)

// retries is the number of retries for an overloaded Sigstore service.
const retries = 3

// Options select the token and the Sigstore instance.
type Options struct {
	// TokenFile has the OIDC token; empty takes TokenVariable, then GitHub Actions.
	TokenFile string
	// SigningConfig and TrustedRoot are files of a Sigstore instance; by default those of the public
	// instance are fetched.
	SigningConfig, TrustedRoot string
}

// Signer is a sign.Signer. It generates a key and requests a certificate for each signature.
type Signer struct {
	options Options
	trusted root.TrustedMaterial
	fulcio  *sign.Fulcio
	logs    []sign.Transparency
	clocks  []*sign.TimestampAuthority
}

// New returns a Signer if a token is available, to fail early: a run must not end without its
// signature.
func New(ctx context.Context, o Options) (*Signer, error) {
	if _, err := o.token(ctx, time.Now()); err != nil {
		return nil, err
	}
	s := &Signer{options: o}
	var err error
	if s.trusted, err = TrustedRoot(o.TrustedRoot); err != nil {
		return nil, err
	}
	config, err := signingConfig(o.SigningConfig)
	if err != nil {
		return nil, err
	}
	if err := s.use(config, time.Now()); err != nil {
		return nil, fmt.Errorf("choose services of the signing config: %w", err)
	}
	return s, nil
}

// TrustedRoot reads the trust root from a file, or fetches that of the public Sigstore instance.
func TrustedRoot(file string) (root.TrustedMaterial, error) {
	if file != "" {
		trusted, err := root.NewTrustedRootFromPath(file)
		if err != nil {
			return nil, fmt.Errorf("read trust root %s: %w", file, err)
		}
		return trusted, nil
	}
	trusted, err := root.FetchTrustedRoot()
	if err != nil {
		return nil, fmt.Errorf("fetch the trust root of the public Sigstore instance (offline, use --trusted-root with a trusted_root.json): %w", err)
	}
	return trusted, nil
}

func signingConfig(file string) (*root.SigningConfig, error) {
	if file != "" {
		config, err := root.NewSigningConfigFromPath(file)
		if err != nil {
			return nil, fmt.Errorf("read signing config %s: %w", file, err)
		}
		return config, nil
	}
	config, err := root.FetchSigningConfig()
	if err != nil {
		return nil, fmt.Errorf("fetch the signing config of the public Sigstore instance: %w", err)
	}
	return config, nil
}

// use selects the services valid now.
func (s *Signer) use(config *root.SigningConfig, now time.Time) error {
	fulcio, err := root.SelectService(config.FulcioCertificateAuthorityURLs(), sign.FulcioAPIVersions, now)
	if err != nil {
		return fmt.Errorf("certificate authority: %w", err)
	}
	s.fulcio = sign.NewFulcio(&sign.FulcioOptions{BaseURL: fulcio.URL, Retries: retries})
	logs, err := root.SelectServices(config.RekorLogURLs(), config.RekorLogURLsConfig(), sign.RekorAPIVersions, now)
	if err != nil {
		return fmt.Errorf("transparency log: %w", err)
	}
	for _, log := range logs {
		s.logs = append(s.logs, sign.NewRekor(&sign.RekorOptions{BaseURL: log.URL, Version: log.MajorAPIVersion, Retries: retries}))
	}
	if len(config.TimestampAuthorityURLs()) == 0 {
		return nil
	}
	clocks, err := root.SelectServices(config.TimestampAuthorityURLs(), config.TimestampAuthorityURLsConfig(), sign.TimestampAuthorityAPIVersions, now)
	if err != nil {
		return fmt.Errorf("timestamp authority: %w", err)
	}
	for _, clock := range clocks {
		s.clocks = append(s.clocks, sign.NewTimestampAuthority(&sign.TimestampAuthorityOptions{URL: clock.URL, Retries: retries}))
	}
	return nil
}

// SignStatement returns a bundle verifiable with the trust root.
func (s *Signer) SignStatement(ctx context.Context, statement []byte) (file string, content []byte, err error) {
	if content, err = s.bundle(ctx, statement); err != nil {
		return "", nil, fmt.Errorf("%w (the report is complete: sign it with \"dratest report sign\")", err)
	}
	return reports.BundleFile, content, nil
}

func (s *Signer) bundle(ctx context.Context, statement []byte) ([]byte, error) {
	token, err := s.options.token(ctx, time.Now())
	if err != nil {
		return nil, err
	}
	key, err := sign.NewEphemeralKeypair(nil)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	made, err := sign.Bundle(&sign.DSSEData{Data: statement, PayloadType: ours.PayloadType}, key, sign.BundleOptions{
		Context: ctx, CertificateProvider: s.fulcio, CertificateProviderOptions: &sign.CertificateProviderOptions{IDToken: token},
		TransparencyLogs: s.logs, TimestampAuthorities: s.clocks,
	})
	if err != nil {
		return nil, err
	}
	b, err := bundle.NewBundle(made)
	if err == nil {
		_, err = check(b, s.trusted, verify.WithoutArtifactUnsafe(), verify.WithoutIdentitiesUnsafe())
	}
	if err != nil {
		return nil, errors.Join(errors.New("the new signature does not verify"), err)
	}
	return b.MarshalJSON()
}
