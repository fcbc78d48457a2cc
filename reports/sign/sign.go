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

package sign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/google/renameio/v2"
	attestation "github.com/in-toto/attestation/go/v1"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/diff"
	"github.com/dra-conformance/dratest/reports/files"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Signer signs the statement about a report.
type Signer interface {
	// SignStatement returns the content of a signature, and its file in the directory of the report.
	SignStatement(ctx context.Context, statement []byte) (file string, content []byte, err error)
}

// Seal seals the report of a directory like reports.Seal, and signs it if there is a signer.
func Seal(ctx context.Context, dir string, r schema.Report, outcomes []spec.Outcome, f reports.Facts, signer Signer) error {
	binary, err := reports.BinaryDigest()
	if err != nil {
		return err
	}
	f.Binary = binary
	if _, err := reports.Seal(dir, r, outcomes, f); err != nil || signer == nil {
		return err
	}
	return Directory(ctx, dir, signer)
}

// Directory signs the conformance report in a directory, including all files listed with a digest.
func Directory(ctx context.Context, dir string, signer Signer) error {
	data, err := files.Read(dir, reports.ConformanceFile)
	if err != nil {
		return fmt.Errorf("sign report: %w", err)
	}
	c, err := schema.DecodeConformance(data)
	if err != nil {
		return fmt.Errorf("sign report: %w", err)
	}
	s, err := statement(data, c)
	if err != nil {
		return fmt.Errorf("sign report: %w", err)
	}
	_, payload, err := plain(s)
	if err != nil {
		return fmt.Errorf("sign report: %w", err)
	}
	file, content, err := signer.SignStatement(ctx, payload)
	if err == nil {
		err = renameio.WriteFile(filepath.Join(dir, file), content, 0o644)
	}
	if err != nil {
		return fmt.Errorf("sign report: %w", err)
	}
	return nil
}

// Signature is the state of a report's signature.
type Signature struct {
	// Signed is true if there is a signature, Checked if it was verified with the key KeyID.
	Signed, Checked bool
	KeyID           string
}

// Verify compares the signature of a directory's report with the report and, with a key, verifies it.
// It returns the reasons for rejecting it. An unsigned report is rejected only with a key.
func Verify(ctx context.Context, dir fs.FS, key *Key) (s Signature, reasons []string, err error) {
	data, err := fs.ReadFile(dir, reports.ConformanceFile)
	if err != nil {
		return s, nil, fmt.Errorf("verify signature: %w", err)
	}
	encoded, err := fs.ReadFile(dir, reports.SignatureFile)
	switch {
	case errors.Is(err, fs.ErrNotExist) && key == nil:
		return s, nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return s, []string{reports.SignatureFile + " is missing: the report is not signed"}, nil
	case err != nil:
		return s, nil, fmt.Errorf("verify signature: %w", err)
	}
	var e dsse.Envelope
	if err := json.Unmarshal(encoded, &e); err != nil {
		return s, []string{fmt.Sprintf("%s cannot be read: %v", reports.SignatureFile, err)}, nil
	}
	if e.PayloadType != PayloadType {
		return s, otherType(reports.SignatureFile, e), nil
	}
	s.Signed = len(e.Signatures) > 0
	for i := range e.Signatures {
		e.Signatures[i].KeyID = "" // only a hint
	}
	if key != nil {
		verifier, err := dsse.NewEnvelopeVerifier(key)
		if err != nil {
			return s, nil, fmt.Errorf("verify signature: %w", err)
		}
		if _, err := verifier.Verify(ctx, &e); err != nil {
			return s, []string{fmt.Sprintf("%s: it is not signed by the key %s that was given, or was changed since", reports.SignatureFile, key.ID)}, nil
		}
		s.Checked, s.KeyID = true, key.ID
	}
	reasons, err = Claims(reports.SignatureFile, &e, data)
	return s, reasons, err
}

// Claims compares the statement in the envelope of a file with the conformance report in data.
func Claims(file string, e *dsse.Envelope, data []byte) ([]string, error) {
	if e.PayloadType != PayloadType {
		return otherType(file, *e), nil
	}
	payload, err := e.DecodeB64Payload()
	signed := &attestation.Statement{}
	if err == nil {
		err = protojson.Unmarshal(payload, signed)
	}
	if err != nil {
		return []string{fmt.Sprintf("%s: what it signs cannot be read: %v", file, err)}, nil
	}
	c, err := schema.DecodeConformance(data)
	if err != nil {
		return nil, nil //nolint:nilerr // reading the report returns this error elsewhere
	}
	should, err := statement(data, c)
	if err != nil {
		return nil, err
	}
	a, _, err := plain(signed)
	if err != nil {
		return nil, err
	}
	b, _, err := plain(should)
	if err != nil {
		return nil, err
	}
	differences, err := diff.Fields(a, b)
	if err != nil {
		return nil, err
	}
	var reasons []string
	for _, d := range differences {
		reasons = append(reasons, fmt.Sprintf("%s: %s is %s, and %s makes it %s", file, d.Path, d.A, reports.ConformanceFile, d.B))
	}
	return reasons, nil
}

func otherType(file string, e dsse.Envelope) []string {
	return []string{fmt.Sprintf("%s: its payloadType is %q, not %s", file, e.PayloadType, PayloadType)}
}
