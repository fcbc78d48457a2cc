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

package certify

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestVendorCases(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		want         schema.VendorCase
	}{
		{"passes", `printf 'one\033[31m two\007'`, schema.VendorCase{Status: spec.Passed, Output: "one two\uFFFD"}},
		{"fails", "echo out; echo why >&2; exit 3", schema.VendorCase{Status: spec.Failed, ExitCode: 3, Reason: "exit status 3", Output: "out\n\nwhy"}},
		{"hangs", "echo waiting; sleep 600 & wait", schema.VendorCase{Status: spec.Failed, Reason: "did not end within 300ms", Output: "waiting"}},
		{"has the cluster", `echo "$KUBECONFIG $DRATEST_VERSION"`, schema.VendorCase{Status: spec.Passed, Output: "kubeconfig v1"}},
		{"floods", `head -c 3000000 /dev/zero | tr '\0' x; echo end`, schema.VendorCase{Status: spec.Passed, Output: "end"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var o Options
			o.Run.Out, o.Run.Kubeconfig, o.Declaration.Identity.Version = io.Discard, "kubeconfig", "v1"
			o.Declaration.Cases = []declarations.Case{{Name: "own", Promise: "It works.", Command: []string{"sh", "-c", tc.script}, Timeout: 5 * time.Second}}
			if tc.name == "hangs" {
				o.Declaration.Cases[0].Timeout = 300 * time.Millisecond
			}
			results := o.vendorCases(t.Context())
			if len(results) != 1 {
				t.Fatalf("results: %+v", results)
			}
			got := results[0]
			if got.Name != "own" || got.Promise != "It works." || got.Status != tc.want.Status || got.ExitCode != tc.want.ExitCode || got.Reason != tc.want.Reason ||
				!strings.HasSuffix(got.Output, tc.want.Output) || len(got.Output) > keptOutput {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
	var o Options
	o.Run.Out, o.Declaration.Cases = io.Discard, []declarations.Case{{Name: "own", Command: []string{"sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"}}}
	left := o.vendorCases(t.Context())
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 10*time.Second, true, func(context.Context) (bool, error) {
		stat, err := os.ReadFile("/proc/" + left[0].Output + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z "), nil
	})
	if left[0].Status != spec.Passed || err != nil {
		t.Errorf("%+v leaves a child: %v", left, err)
	}
	o.Run.Out, o.Declaration.Cases = io.Discard, []declarations.Case{{Name: "own", Command: []string{"/no/such/program"}}}
	if got := o.vendorCases(t.Context()); got[0].Status != spec.Blocked || !strings.Contains(got[0].Reason, "no such file") {
		t.Errorf("without the program: %+v", got)
	}
}

// TestVendorCasesNeverCount checks that a failed one does not change the verdict.
func TestVendorCasesNeverCount(t *testing.T) {
	f := passed()
	f.seen.VendorCases = []schema.VendorCase{{Name: "own", Status: spec.Failed}}
	if j := judge(f); j.Verdict != schema.DriverCertified {
		t.Errorf("%s: %v", j.Verdict, j)
	}
}
