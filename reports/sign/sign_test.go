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

package sign_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
)

func keys(t *testing.T) (private, public sign.Key) {
	t.Helper()
	privatePEM, publicPEM, err := sign.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if private, err = sign.PrivateKey(privatePEM); err != nil {
		t.Fatal(err)
	}
	if public, err = sign.PublicKey(publicPEM); err != nil {
		t.Fatal(err)
	}
	return private, public
}

// report returns a directory with a conformance report of some cases.
func report(t *testing.T, result schema.Result, cases ...schema.CaseResult) string {
	t.Helper()
	c := schema.ConformanceReport{APIVersion: schema.ConformanceVersion, Kind: schema.ConformanceKind, Result: result}
	c.Suite.Binary, c.Cluster.Kubernetes = "sha256:12", "v1.37.1"
	for _, r := range cases {
		c.Cases = append(c.Cases, schema.ConformanceCase{RequiredCase: schema.RequiredCase{ID: "a/" + string(r)}, Result: r})
	}
	if result == schema.ResultIncomplete {
		c.Reasons = []string{"the core was left out"}
	}
	data, err := schema.EncodeConformance(c)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, reports.ConformanceFile), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func signed(t *testing.T, dir string, key sign.Key) string {
	t.Helper()
	if err := sign.Directory(t.Context(), dir, key); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, reports.SignatureFile))
	if err != nil {
		t.Fatal(err)
	}
	var envelope struct{ PayloadType, Payload string }
	if err := json.Unmarshal(data, &envelope); err != nil || envelope.PayloadType != "application/vnd.in-toto+json" {
		t.Fatalf("%v, %+v", err, envelope)
	}
	payload, err := base64.StdEncoding.DecodeString(envelope.Payload)
	if err != nil {
		t.Fatal(err)
	}
	return string(payload)
}

func TestStatement(t *testing.T) {
	private, _ := keys(t)
	for name, tc := range map[string]struct {
		result schema.Result
		cases  []schema.CaseResult
		want   []string
	}{
		"passed": {schema.ResultPassed, []schema.CaseResult{schema.CasePassed, schema.CaseNotApplicable}, []string{`"result":"PASSED"`, `"passedTests":["a/passed"]`}},
		"known issue": {schema.ResultPassed, []schema.CaseResult{schema.CasePassed, schema.CaseKnownIssue, schema.CaseWarning},
			[]string{`"result":"WARNED"`, `"warnedTests":["a/knownIssue","a/warning"]`}},
		"failed":     {schema.ResultFailed, []schema.CaseResult{schema.CaseFailed, schema.CasePassed}, []string{`"result":"FAILED"`, `"failedTests":["a/failed"]`}},
		"incomplete": {schema.ResultIncomplete, []schema.CaseResult{schema.CasePassed}, []string{`"result":"FAILED"`, `"reasons":"the core was left out"`, `"result":"incomplete"`}},
	} {
		t.Run(name, func(t *testing.T) {
			payload := signed(t, report(t, tc.result, tc.cases...), private)
			want := slices.Concat(tc.want, []string{`"_type":"https://in-toto.io/Statement/v1"`, `"predicateType":"https://in-toto.io/attestation/test-result/v0.1"`})
			for _, w := range want {
				if !strings.Contains(payload, w) {
					t.Errorf("no %s in %s", w, payload)
				}
			}
		})
	}
}

func TestVerify(t *testing.T) {
	private, public := keys(t)
	_, other := keys(t)
	change := func(name, old, text string) func(string) {
		return func(dir string) {
			file := filepath.Join(dir, name)
			data, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(data), old) {
				t.Fatalf("%v, %s", err, data)
			}
			if err := os.WriteFile(file, []byte(strings.Replace(string(data), old, text, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	nothing := func(string) {}
	unsign := func(dir string) { _ = os.Remove(filepath.Join(dir, reports.SignatureFile)) }
	for name, tc := range map[string]struct {
		do      func(dir string)
		key     *sign.Key
		checked bool
		want    string
	}{
		"its key":                         {nothing, &public, true, ""},
		"no key":                          {nothing, nil, false, ""},
		"other key":                       {nothing, &other, false, "not signed by the key " + other.ID},
		"not signed":                      {unsign, nil, false, ""},
		"not signed, with a key":          {unsign, &public, false, "the report is not signed"},
		"changed report":                  {change(reports.ConformanceFile, "v1.37.1", "v1.38.0"), &public, true, "subject[conformance-report.yaml].digest.sha256"},
		"changed report, no key":          {change(reports.ConformanceFile, "v1.37.1", "v1.38.0"), nil, false, "subject[conformance-report.yaml].digest.sha256"},
		"changed signature":               {change(reports.SignatureFile, `"payload": "`, `"payload": "AAAA`), &public, false, "was changed since"},
		"changed signature, no key":       {change(reports.SignatureFile, `"payload": "`, `"payload": "AAAA`), nil, false, "what it signs cannot be read"},
		"other payload type":              {change(reports.SignatureFile, "application/vnd.in-toto+json", "application/x-other"), nil, false, `its payloadType is "application/x-other"`},
		"no payload type":                 {change(reports.SignatureFile, "application/vnd.in-toto+json", ""), &public, false, `its payloadType is ""`},
		"no JSON":                         {change(reports.SignatureFile, "{", ""), &public, false, "cannot be read"},
		"signature without any signature": {change(reports.SignatureFile, `"signatures"`, `"signed"`), &public, false, "not signed by the key"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := report(t, schema.ResultPassed, schema.CasePassed)
			signed(t, dir, private)
			tc.do(dir)
			s, reasons, err := sign.Verify(t.Context(), os.DirFS(dir), tc.key)
			why := strings.Join(reasons, "\n")
			if err != nil || s.Checked != tc.checked || (why == "") != (tc.want == "") || !strings.Contains(why, tc.want) {
				t.Errorf("%v, %+v, want %q in %q", err, s, tc.want, why)
			}
		})
	}
}

// Other tools reject payload types other than in-toto's, even with a valid signature.
func TestSignedPayloadType(t *testing.T) {
	private, public := keys(t)
	dir := report(t, schema.ResultPassed, schema.CasePassed)
	signed(t, dir, private)
	file := filepath.Join(dir, reports.SignatureFile)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var e dsse.Envelope
	if err := json.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	payload, err := e.DecodeB64Payload()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := dsse.NewEnvelopeSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	other, err := signer.SignPayload(t.Context(), "application/x-other", payload)
	if err != nil {
		t.Fatal(err)
	}
	if data, err = json.Marshal(other); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, reasons, err := sign.Verify(t.Context(), os.DirFS(dir), &public); err != nil || s.Checked || len(reasons) != 1 {
		t.Errorf("%+v, %v, %v", s, reasons, err)
	}
}

// The signed statement includes the certificate: verdict, profiles, costs, exceptions, expiry.
func TestStatementOfACertificate(t *testing.T) {
	private, _ := keys(t)
	limit := 0.05
	c := schema.ConformanceReport{APIVersion: schema.ConformanceVersion, Kind: schema.ConformanceKind, Result: schema.ResultIncomplete, Certificate: &schema.Certificate{
		Judgement: schema.Judgement{
			Verdict: schema.DriverIncomplete, Profiles: map[spec.DriverProfile]schema.DriverVerdict{spec.ProfileRecovery: schema.DriverIncomplete},
			Costs: []schema.Cost{{Measurement: spec.Measurement{Name: spec.PrepareP50, Unit: "s", Value: 0.02}, Limit: &limit}},
		},
		Profile: "driver v1", Exceptions: []schema.DriverException{{Case: "life/a", Until: "2027-01-01"}}, Expires: time.Date(2027, 11, 29, 0, 0, 0, 0, time.UTC),
	}}
	data, err := schema.EncodeConformance(c)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, reports.ConformanceFile), data, 0o600); err != nil {
		t.Fatal(err)
	}
	payload := signed(t, dir, private)
	for _, want := range []string{
		`"name":"certificate"`, `"verdict":"incomplete"`, `"profiles":{"recovery":"incomplete"}`, `"profile":"driver v1"`, `"limit":0.05`, `"Until":"2027-01-01"`, `"expires":"2027-11-29T00:00:00Z"`,
	} {
		if !strings.Contains(payload, want) {
			t.Errorf("no %s in %s", want, payload)
		}
	}
}

func TestKeysOfTheWrongKind(t *testing.T) {
	privatePEM, publicPEM, err := sign.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	encode := func(key any) []byte {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		read func([]byte) (sign.Key, error)
		data []byte
		want string
	}{
		"public key to sign":    {sign.PrivateKey, publicPEM, "it is a public key"},
		"private key to verify": {sign.PublicKey, privatePEM, "it is a private key"},
		"RSA":                   {sign.PrivateKey, encode(rsaKey), "must be ed25519"},
		"ECDSA":                 {sign.PrivateKey, encode(ecKey), "must be ed25519"},
		"no PEM":                {sign.PrivateKey, []byte("hello"), "dratest report keygen"},
		"empty":                 {sign.PublicKey, nil, "dratest report keygen"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := tc.read(tc.data); !errors.Is(err, sign.ErrKey) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// foreign is a key in another tool, with the tool's own key ID.
type foreign struct {
	sign.Key

	id string
}

func (f foreign) KeyID() (string, error) { return f.id, nil }

// sigstore's Go verifier rejected the envelope: its key ID was different from the hint. It uses this
// verifier without an ID, so that this library derives one.
func TestVerifiersOfOthersAcceptTheEnvelope(t *testing.T) {
	private, public := keys(t)
	dir := report(t, schema.ResultPassed, schema.CasePassed)
	if err := sign.Directory(t.Context(), dir, private); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, reports.SignatureFile))
	if err != nil {
		t.Fatal(err)
	}
	verify := func(data []byte, key dsse.Verifier) error {
		var e dsse.Envelope
		if err := json.Unmarshal(data, &e); err != nil {
			t.Fatal(err)
		}
		verifier, err := dsse.NewEnvelopeVerifier(key)
		if err != nil {
			t.Fatal(err)
		}
		_, err = verifier.Verify(t.Context(), &e)
		return err
	}
	for _, id := range []string{"", public.ID, "SHA256:other"} {
		if err := verify(data, foreign{public, id}); err != nil {
			t.Errorf("key ID %q: %v", id, err)
		}
	}
	_, other := keys(t)
	if verify(data, foreign{other, ""}) == nil {
		t.Error("another key verifies it")
	}
	// Reports of earlier versions have a hint.
	hinted := strings.Replace(string(data), `"keyid": ""`, `"keyid": "`+public.ID+`"`, 1)
	if err := os.WriteFile(filepath.Join(dir, reports.SignatureFile), []byte(hinted), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, reasons, err := sign.Verify(t.Context(), os.DirFS(dir), &public); err != nil || len(reasons) > 0 || !s.Checked || hinted == string(data) {
		t.Errorf("%+v, %q, %v", s, reasons, err)
	}
}
