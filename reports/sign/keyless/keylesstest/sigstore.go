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

package keylesstest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digitorus/timestamp"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	prototrustroot "github.com/sigstore/protobuf-specs/gen/pb-go/trustroot/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/sigstore/sigstore-go/pkg/tlog"
)

// Sigstore is an instance serving until the test ends.
type Sigstore struct {
	// SigningConfig and TrustedRoot are files.
	SigningConfig, TrustedRoot string

	log           *ca.VirtualSigstore
	fulcio, clock authority
}

type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// New serves an instance.
func New(t *testing.T) *Sigstore {
	t.Helper()
	s := &Sigstore{}
	var err error
	if s.log, err = ca.NewVirtualSigstore(); err != nil {
		t.Fatal(err)
	}
	// The virtual Sigstore makes the keys of its signers itself.
	top, topKey, err := ca.GenerateRootCa()
	if err != nil {
		t.Fatal(err)
	}
	if s.fulcio.certificate, s.fulcio.key, err = ca.GenerateFulcioIntermediate(top, topKey); err != nil {
		t.Fatal(err)
	}
	clocks, clocksKey, err := ca.GenerateTSAIntermediate(top, topKey)
	if err != nil {
		t.Fatal(err)
	}
	if s.clock.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	if s.clock.certificate, err = ca.GenerateTSALeafCert(time.Now().Add(-time.Minute), s.clock.key, clocks, clocksKey); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for pattern, serve := range map[string]func(*http.Request) ([]byte, error){
		"/api/v2/signingCert": s.certificate, "/api/v1/log/entries": s.logEntry, "/api/v1/timestamp": s.timestamp,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, err := serve(r)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			if strings.HasSuffix(pattern, "entries") {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("ETag", entryID)
				w.WriteHeader(http.StatusCreated)
			}
			_, _ = w.Write(body)
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	if err := s.write(t.TempDir(), server.URL, top, clocks); err != nil {
		t.Fatal(err)
	}
	return s
}

// Token returns a token for an identity, a URL.
func (s *Sigstore) Token(identity, issuer string, expires time.Time) string {
	claims, err := json.Marshal(map[string]any{"sub": identity, "iss": issuer, "aud": "sigstore", "exp": expires.Unix()})
	if err != nil {
		panic(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	return strings.Join([]string{encode([]byte(`{"alg":"none"}`)), encode(claims), encode([]byte("signature"))}, ".")
}

func (s *Sigstore) write(dir, address string, top, clocks *x509.Certificate) error {
	service := []root.Service{{URL: address, MajorAPIVersion: 1, ValidityPeriodStart: time.Now().Add(-time.Hour), Operator: "test"}}
	clock := []root.Service{{URL: address + "/api/v1/timestamp", MajorAPIVersion: 1, ValidityPeriodStart: time.Now().Add(-time.Hour), Operator: "test"}}
	any1 := root.ServiceConfiguration{Selector: prototrustroot.ServiceSelector_ANY}
	config, err := root.NewSigningConfig(root.SigningConfigMediaType02, service, nil, service, any1, clock, any1)
	if err != nil {
		return err
	}
	logs := s.log.RekorLogs()
	for id, log := range logs {
		if log.ID, err = hex.DecodeString(id); err != nil {
			return err
		}
	}
	since, until := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	fulcio := &root.FulcioCertificateAuthority{
		Root: top, Intermediates: []*x509.Certificate{s.fulcio.certificate}, URI: address, ValidityPeriodStart: since, ValidityPeriodEnd: until,
	}
	clocksOf := &root.SigstoreTimestampingAuthority{
		Root: top, Intermediates: []*x509.Certificate{clocks}, Leaf: s.clock.certificate, URI: address, ValidityPeriodStart: since, ValidityPeriodEnd: until,
	}
	trusted, err := root.NewTrustedRoot(root.TrustedRootMediaType01, []root.CertificateAuthority{fulcio}, nil, []root.TimestampingAuthority{clocksOf}, logs)
	if err != nil {
		return err
	}
	s.SigningConfig, s.TrustedRoot = filepath.Join(dir, "signing_config.json"), filepath.Join(dir, "trusted_root.json")
	for file, content := range map[string]json.Marshaler{s.SigningConfig: config, s.TrustedRoot: trusted} {
		data, err := content.MarshalJSON()
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// certificate is Fulcio.
func (s *Sigstore) certificate(r *http.Request) ([]byte, error) {
	var request struct {
		PublicKeyRequest struct {
			PublicKey struct{ Content string }
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		return nil, err
	}
	block, _ := pem.Decode([]byte(request.PublicKeyRequest.PublicKey.Content))
	if block == nil {
		return nil, fmt.Errorf("no key: %+v", request)
	}
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), ".")
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil, err
	}
	var claims struct{ Sub, Iss string }
	if err := json.Unmarshal(payload, &claims); err != nil {
		return nil, err
	}
	leaf, err := s.issue(public, claims.Sub, claims.Iss)
	if err != nil {
		return nil, err
	}
	chain := []string{string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf}))}
	return json.Marshal(map[string]any{"signedCertificateEmbeddedSct": map[string]any{"chain": map[string]any{"certificates": chain}}})
}

func (s *Sigstore) issue(public crypto.PublicKey, identity, issuer string) ([]byte, error) {
	name, err := url.Parse(identity)
	if err != nil {
		return nil, err
	}
	return x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(1), URIs: []*url.URL{name}, NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(10 * time.Minute),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning},
		// Fulcio's first extension is the issuer of the token.
		ExtraExtensions: []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57264, 1, 1}, Value: []byte(issuer)}},
	}, s.fulcio.certificate, public, s.fulcio.key)
}

const entryID = "1"

// logEntry is Rekor.
func (s *Sigstore) logEntry(r *http.Request) ([]byte, error) {
	var proposed struct {
		Spec struct {
			ProposedContent struct {
				Envelope  string
				Verifiers [][]byte
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&proposed); err != nil {
		return nil, err
	}
	var envelope dsse.Envelope
	if err := json.Unmarshal([]byte(proposed.Spec.ProposedContent.Envelope), &envelope); err != nil {
		return nil, err
	}
	block, _ := pem.Decode(proposed.Spec.ProposedContent.Verifiers[0])
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, err
	}
	signature, err := base64.StdEncoding.DecodeString(envelope.Signatures[0].Sig)
	if err != nil {
		return nil, err
	}
	now := time.Now().Unix()
	made, err := s.log.GenerateTlogEntry(leaf, &envelope, signature, now, false)
	if err != nil {
		return nil, err
	}
	body, id := made.TransparencyLogEntry().GetCanonicalizedBody(), hex.EncodeToString(made.TransparencyLogEntry().GetLogId().GetKeyId())
	proof, err := s.log.GetInclusionProof(body)
	if err != nil {
		return nil, err
	}
	promise, err := s.log.RekorSignPayload(tlog.RekorPayload{Body: base64.StdEncoding.EncodeToString(body), IntegratedTime: now, LogID: id})
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{entryID: map[string]any{
		"body": body, "integratedTime": now, "logID": id, "logIndex": 0, "verification": map[string]any{"inclusionProof": proof, "signedEntryTimestamp": promise},
	}})
}

// timestamp is the timestamp authority.
func (s *Sigstore) timestamp(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	request, err := timestamp.ParseRequest(body)
	if err != nil {
		return nil, err
	}
	stamp := timestamp.Timestamp{
		HashAlgorithm: request.HashAlgorithm, HashedMessage: request.HashedMessage, Time: time.Now(), Policy: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57264, 2},
	}
	return stamp.CreateResponseWithOpts(s.clock.certificate, s.clock.key, crypto.SHA256)
}
