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
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/sign/keyless"
	"github.com/dra-conformance/dratest/reports/sign/keyless/keylesstest"
)

func TestSignKeyless(t *testing.T) {
	const workflow, issuer = "https://github.com/example/driver/.github/workflows/dra.yml@refs/heads/main", "https://token.actions.githubusercontent.com"
	t.Chdir(t.TempDir())
	s := keylesstest.New(t)
	instance := []string{"--signing-config", s.SigningConfig, "--trusted-root", s.TrustedRoot}
	policy := []string{"--certificate-identity", workflow, "--certificate-oidc-issuer", issuer, "--trusted-root", s.TrustedRoot}
	t.Setenv(keyless.TokenVariable, s.Token(workflow, issuer, time.Now().Add(time.Minute)))
	for _, dir := range []string{"plain", "edited", "matrix/run-1", "matrix/run-2"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		nothingCouldRun(t, dir)
	}
	if err := os.Remove(filepath.Join("edited", reports.JUnitFile)); err != nil {
		t.Fatal(err)
	}
	sign := func(dir string, args ...string) []string { return append([]string{"report", "sign", dir}, args...) }
	verify := func(dir string, args ...string) []string {
		return append([]string{"report", "verify", dir}, args...)
	}
	for _, tc := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"not signed", verify("plain", policy...), 1, "has no keyless signature"},
		{"no flag", sign("plain"), codeUsage, "use --sign-key or --sign-keyless"},
		{"two flags", sign("plain", "--sign-keyless", "--sign-key", "a.pem"), codeUsage, "use either"},
		{"lonely flag", sign("plain", "--id-token", "a"), codeUsage, "need --sign-keyless"},
		{"no token", sign("plain", append(instance, "--sign-keyless", "--id-token", "nowhere")...), codeUsage, "read the OIDC token"},
		{"sign", sign("plain", append(instance, "--sign-keyless")...), 0, "1 report(s) signed"},
		{"sign all", sign("matrix", append(instance, "--sign-keyless")...), 0, "2 report(s) signed"},
		{"sign what does not hold", sign("edited", append(instance, "--sign-keyless")...), 1, "junit_01.xml is missing"},
		{"signed", verify("plain", policy...), 0, "It is signed by " + workflow + " (" + issuer + ") at "},
		{"all signed", verify("matrix", policy...), 0, "== run-2"},
		{"not checked", verify("plain"), 0, "--certificate-identity and --certificate-oidc-issuer check this"},
		{"earlier names of flags", verify("plain", "--identity", workflow, "--issuer", issuer, "--trusted-root", s.TrustedRoot), 0, "It is signed by " + workflow},
		{"another identity", verify("plain", append(policy, "--certificate-identity", "https://example.com/fork")...), 1, "does not verify"},
		{"another issuer", verify("plain", append(policy, "--certificate-oidc-issuer", "https://example.com")...), 1, "does not verify"},
		{"no issuer", verify("plain", "--certificate-identity", workflow), codeUsage, "--certificate-identity and --certificate-oidc-issuer"},
		{"no trust root", verify("plain", append(policy, "--trusted-root", "nowhere")...), codeUsage, "trust root nowhere"},
		{"a run", []string{"run", "--sign-keyless", "--id-token", "nowhere"}, codeUsage, "sign-keyless: read the OIDC token"},
		{"a certification", []string{"certify", "--sign-keyless", "--id-token", "nowhere"}, codeUsage, "sign-keyless: read the OIDC token"},
		{"an upgrade", []string{"upgrade", "--sign-keyless", "--id-token", "nowhere"}, codeUsage, "sign-keyless: read the OIDC token"},
		{"sanity", []string{"sanity", "--sign-keyless", "--id-token", "nowhere"}, codeUsage, "sign-keyless: read the OIDC token"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, code := execute(t, tc.args...)
			if code != tc.code || !strings.Contains(out, tc.want) {
				t.Errorf("exit code %d, want %d; %q is not in:\n%s", code, tc.code, tc.want, out)
			}
		})
	}
	if _, err := os.Stat(filepath.Join("edited", reports.BundleFile)); err == nil {
		t.Error("a report that does not hold was signed")
	}
}
