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

package keyless_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
	"github.com/dra-conformance/dratest/reports/sign/keyless"
	"github.com/dra-conformance/dratest/reports/sign/keyless/keylesstest"
)

const (
	workflow = "https://github.com/example/driver/.github/workflows/dra.yml@refs/heads/main"
	issuer   = "https://token.actions.githubusercontent.com"
)

// report returns a directory with a conformance report on a Kubernetes version.
func report(t *testing.T, version string) string {
	t.Helper()
	c := schema.ConformanceReport{APIVersion: schema.ConformanceVersion, Kind: schema.ConformanceKind, Result: schema.ResultPassed}
	c.Suite.Binary, c.Cluster.Kubernetes = "sha256:12", version
	c.Cases = []schema.ConformanceCase{{RequiredCase: schema.RequiredCase{ID: "core/a"}, Result: schema.CasePassed}}
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

// options returns options with a token in the environment.
func options(t *testing.T, s *keylesstest.Sigstore) keyless.Options {
	t.Helper()
	t.Setenv(keyless.TokenVariable, s.Token(workflow, issuer, time.Now().Add(time.Minute)))
	t.Setenv("ACTIONS_ID_TOKEN_REQUEST_URL", "")
	return keyless.Options{SigningConfig: s.SigningConfig, TrustedRoot: s.TrustedRoot}
}

func signed(t *testing.T, s *keylesstest.Sigstore, dir string) {
	t.Helper()
	signer, err := keyless.New(t.Context(), options(t, s))
	if err == nil {
		err = sign.Directory(t.Context(), dir, signer)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func policy(t *testing.T, s *keylesstest.Sigstore) keyless.Policy {
	t.Helper()
	trusted, err := keyless.TrustedRoot(s.TrustedRoot)
	if err != nil {
		t.Fatal(err)
	}
	return keyless.Policy{Identity: workflow, Issuer: issuer, Trusted: trusted}
}

func edit(t *testing.T, dir, name string, change func(string) string) {
	t.Helper()
	name = filepath.Join(dir, name)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	changed := change(string(data))
	if changed == string(data) {
		t.Fatalf("%s has no such line:\n%s", name, data)
	}
	if err := os.WriteFile(name, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
}

// editPayload changes the signed payload of a bundle.
func editPayload(t *testing.T, dir string, change func(string) string) {
	t.Helper()
	edit(t, dir, reports.BundleFile, func(content string) string {
		var b struct{ DsseEnvelope struct{ Payload []byte } }
		if err := json.Unmarshal([]byte(content), &b); err != nil {
			t.Fatal(err)
		}
		encode := base64.StdEncoding.EncodeToString
		return strings.ReplaceAll(content, encode(b.DsseEnvelope.Payload), encode([]byte(change(string(b.DsseEnvelope.Payload)))))
	})
}

func TestVerify(t *testing.T) {
	sigstore, elsewhere := keylesstest.New(t), keylesstest.New(t)
	newer := func(text string) string { return strings.ReplaceAll(text, "v1.37.1", "v1.38.0") }
	for name, tc := range map[string]struct {
		forge func(t *testing.T, dir string, p *keyless.Policy)
		want  string
	}{
		"signed": {func(*testing.T, string, *keyless.Policy) {}, ""},
		"wrong identity": {func(_ *testing.T, _ string, p *keyless.Policy) {
			p.Identity = strings.Replace(workflow, "main", "fork", 1)
		}, "does not verify"},
		"part of identity": {func(_ *testing.T, _ string, p *keyless.Policy) { p.Identity = "https://github.com/example/driver" }, "expected SAN value"},
		"wrong issuer":     {func(_ *testing.T, _ string, p *keyless.Policy) { p.Issuer = "https://accounts.example.com" }, "expected issuer value"},
		"no issuer":        {func(_ *testing.T, _ string, p *keyless.Policy) { p.Issuer = "" }, "must specify Issuer"},
		"edited statement": {func(t *testing.T, dir string, _ *keyless.Policy) { t.Helper(); editPayload(t, dir, newer) }, "payload hash"},
		"edited report": {func(t *testing.T, dir string, _ *keyless.Policy) {
			t.Helper()
			edit(t, dir, reports.ConformanceFile, newer)
		}, "does not verify"},
		"edited both": {func(t *testing.T, dir string, _ *keyless.Policy) {
			t.Helper()
			edit(t, dir, reports.ConformanceFile, newer)
			editPayload(t, dir, newer)
		}, "does not verify"},
		"other trust root": {func(t *testing.T, _ string, p *keyless.Policy) { t.Helper(); p.Trusted = policy(t, elsewhere).Trusted }, "0 < 1"},
		"no bundle":        {func(t *testing.T, dir string, _ *keyless.Policy) { t.Helper(); remove(t, dir) }, "is missing"},
		"no JSON": {func(t *testing.T, dir string, _ *keyless.Policy) {
			t.Helper()
			edit(t, dir, reports.BundleFile, func(string) string { return "{" })
		}, "cannot be read"},
		"empty JSON": {func(t *testing.T, dir string, _ *keyless.Policy) {
			t.Helper()
			edit(t, dir, reports.BundleFile, func(string) string { return "{}" })
		}, "cannot be read"},
		"other type": {func(t *testing.T, dir string, _ *keyless.Policy) {
			t.Helper()
			edit(t, dir, reports.BundleFile, func(s string) string { return strings.Replace(s, "vnd.in-toto+json", "json", 1) })
		}, "does not verify"},
		"of another report": {func(t *testing.T, dir string, _ *keyless.Policy) { t.Helper(); copyBundle(t, sigstore, dir) }, "artifact digests"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, p := report(t, "v1.37.1"), policy(t, sigstore)
			signed(t, sigstore, dir)
			tc.forge(t, dir, &p)
			s, reasons, err := keyless.Verify(os.DirFS(dir), &p)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(reasons, "\n"); (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) || s.Checked != (tc.want == "") {
				t.Errorf("%+v, reasons %q, want %q", s, got, tc.want)

			}
			if tc.want == "" && time.Since(s.Time) > time.Minute {
				t.Errorf("signed at %s", s.Time)
			}
		})
	}
}

func remove(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, reports.BundleFile)); err != nil {
		t.Fatal(err)
	}
}

// copyBundle copies a bundle to another report.
func copyBundle(t *testing.T, s *keylesstest.Sigstore, dir string) {
	t.Helper()
	other := report(t, "v1.38.0")
	signed(t, s, other)
	data, err := os.ReadFile(filepath.Join(other, reports.BundleFile))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, reports.BundleFile), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestVerifyWithoutPolicy(t *testing.T) {
	sigstore, dir := keylesstest.New(t), report(t, "v1.37.1")
	if s, reasons, err := keyless.Verify(os.DirFS(dir), nil); err != nil || len(reasons) > 0 || s.Signed {
		t.Errorf("not signed: %+v, %q, %v", s, reasons, err)
	}
	signed(t, sigstore, dir)
	if s, reasons, err := keyless.Verify(os.DirFS(dir), nil); err != nil || len(reasons) > 0 || !s.Signed || s.Checked || s.Identity != workflow || s.Issuer != issuer {
		t.Errorf("signed: %+v, %q, %v", s, reasons, err)
	}
	copyBundle(t, sigstore, dir)
	if _, reasons, err := keyless.Verify(os.DirFS(dir), nil); err != nil || !strings.Contains(strings.Join(reasons, "\n"), "v1.38.0") {
		t.Errorf("bundle of another report: %q, %v", reasons, err)
	}
}

func TestNew(t *testing.T) {
	sigstore := keylesstest.New(t)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(sigstore.Token(workflow, issuer, time.Now().Add(time.Minute))+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	token := func(value string) func(*testing.T, *keyless.Options) {
		return func(t *testing.T, _ *keyless.Options) { t.Helper(); t.Setenv(keyless.TokenVariable, value) }
	}
	for name, tc := range map[string]struct {
		change func(*testing.T, *keyless.Options)
		want   string
	}{
		"variable": {func(*testing.T, *keyless.Options) {}, ""},
		"file": {func(t *testing.T, o *keyless.Options) {
			t.Helper()
			o.TokenFile = file
			t.Setenv(keyless.TokenVariable, "")
		}, ""},
		"no token":     {token(""), "id-token: write"},
		"no file":      {func(_ *testing.T, o *keyless.Options) { o.TokenFile = "nowhere" }, "nowhere"},
		"no web token": {token("secret"), "no JSON web token"},
		"no claims":    {token("a.b.c"), "read the OIDC token"},
		"expired":      {token(sigstore.Token(workflow, issuer, time.Now().Add(-time.Minute))), "expired at"},
		"no root":      {func(_ *testing.T, o *keyless.Options) { o.TrustedRoot = "nowhere" }, "trust root nowhere"},
		"no config":    {func(_ *testing.T, o *keyless.Options) { o.SigningConfig = "nowhere" }, "signing config nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, sigstore)
			tc.change(t, &o)
			_, err := keyless.New(t.Context(), o)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

func TestGitHubActions(t *testing.T) {
	sigstore, dir := keylesstest.New(t), report(t, "v1.37.1")
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if r.Header.Get("Authorization") != "Bearer runner" || r.FormValue("audience") != "sigstore" || r.FormValue("api-version") != "2.0" {
			http.Error(w, "denied", http.StatusForbidden)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"value": sigstore.Token(workflow, issuer, time.Now().Add(time.Minute))})
	}))
	defer server.Close()
	o := options(t, sigstore)
	t.Setenv(keyless.TokenVariable, "")
	t.Setenv("ACTIONS_ID_TOKEN_REQUEST_URL", server.URL+"/?api-version=2.0")
	t.Setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "runner")
	signer, err := keyless.New(t.Context(), o)
	if err == nil {
		err = sign.Directory(t.Context(), dir, signer)
	}
	if err != nil || requests != 2 {
		t.Errorf("%v, %d requests, want one at the start and one for the signature", err, requests)
	}
	t.Setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "expired")
	if err := sign.Directory(t.Context(), dir, signer); err == nil || !strings.Contains(err.Error(), "403") || !strings.Contains(err.Error(), "dratest report sign") {
		t.Errorf("%v", err)
	}
}

func TestSignatureThatDoesNotVerifyIsNotWritten(t *testing.T) {
	dir, o := report(t, "v1.37.1"), options(t, keylesstest.New(t))
	o.TrustedRoot = keylesstest.New(t).TrustedRoot
	signer, err := keyless.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := sign.Directory(t.Context(), dir, signer); err == nil || !strings.Contains(err.Error(), "does not verify") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, reports.BundleFile)); err == nil {
		t.Error("the bundle was written")
	}
}
