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
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/fulcio/certificate"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"

	"github.com/dra-conformance/dratest/reports"
	ours "github.com/dra-conformance/dratest/reports/sign"
)

// Policy is the expected signer.
type Policy struct {
	// Identity is the subject of the certificate, for example the URL of a workflow, Issuer the issuer of the token.
	Identity, Issuer string
	// Trusted has the keys of the Sigstore instance.
	Trusted root.TrustedMaterial
}

// Signature is the state of a report's bundle.
type Signature struct {
	// Signed is true if there is a bundle, Checked if it was signed by Identity with a token of Issuer at
	// Time. If it is not checked, Identity and Issuer are those that the bundle claims, or empty.
	Signed, Checked  bool
	Identity, Issuer string
	Time             time.Time
}

// Verify compares the bundle of a directory with its report and, with a policy, verifies it. It
// returns the reasons for rejecting it. An unsigned report is rejected only with a policy.
func Verify(dir fs.FS, policy *Policy) (s Signature, reasons []string, err error) {
	data, err := fs.ReadFile(dir, reports.ConformanceFile)
	if err != nil {
		return s, nil, fmt.Errorf("verify signature: %w", err)
	}
	encoded, err := fs.ReadFile(dir, reports.BundleFile)
	switch {
	case errors.Is(err, fs.ErrNotExist) && policy == nil:
		return s, nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return s, []string{reports.BundleFile + " is missing: the report has no keyless signature"}, nil
	case err != nil:
		return s, nil, fmt.Errorf("verify signature: %w", err)
	}
	refuse := func(what string, err error) (Signature, []string, error) {
		return s, []string{fmt.Sprintf("%s %s: %v", reports.BundleFile, what, err)}, nil
	}
	var b bundle.Bundle
	if err := b.UnmarshalJSON(encoded); err != nil {
		return refuse("cannot be read", err)
	}
	envelope, err := b.Envelope()
	if err != nil {
		return refuse("has no statement", err)
	}
	s.Signed = true
	s.Identity, s.Issuer = claimed(&b)
	if policy != nil {
		if s.Time, err = policy.verify(&b, data); err != nil {
			return refuse("does not verify", err)
		}
		s.Checked, s.Identity, s.Issuer = true, policy.Identity, policy.Issuer
	}
	reasons, err = ours.Claims(reports.BundleFile, envelope.RawEnvelope(), data)
	return s, reasons, err
}

// claimed returns the signer in a bundle's certificate, which is not verified.
func claimed(b *bundle.Bundle) (identity, issuer string) {
	content, err := b.VerificationContent()
	if err != nil || content.Certificate() == nil {
		return "", ""
	}
	summary, err := certificate.SummarizeCertificate(content.Certificate())
	if err != nil {
		return "", ""
	}
	return summary.SubjectAlternativeName, summary.Issuer
}

// verify returns the time of a signature of data by the expected signer.
func (p Policy) verify(b *bundle.Bundle, data []byte) (time.Time, error) {
	identity, err := verify.NewShortCertificateIdentity(p.Issuer, "", p.Identity, "")
	if err != nil {
		return time.Time{}, err
	}
	return check(b, p.Trusted, verify.WithArtifact(bytes.NewReader(data)), verify.WithCertificateIdentity(identity))
}

// check verifies a bundle and returns its time. Certificates must be in a certificate transparency log
// if the trust root has one.
func check(b *bundle.Bundle, trusted root.TrustedMaterial, artifact verify.ArtifactPolicyOption, identity verify.PolicyOption) (time.Time, error) {
	options := []verify.VerifierOption{verify.WithTransparencyLog(1), verify.WithObserverTimestamps(1)}
	if len(trusted.CTLogs()) > 0 {
		options = append(options, verify.WithSignedCertificateTimestamps(1))
	}
	verifier, err := verify.NewVerifier(trusted, options...)
	if err != nil {
		return time.Time{}, err
	}
	result, err := verifier.Verify(b, verify.NewPolicy(artifact, identity))
	if err != nil {
		return time.Time{}, err
	}
	return result.VerifiedTimestamps[0].Timestamp, nil
}
