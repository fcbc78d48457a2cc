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

package run_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// These tests run the whole process model: the test binary is started again as Ginkgo and as its suite processes.
// Only the cluster is fake.

func TestMain(m *testing.M) {
	run.Child(os.Args, parts)
	os.Exit(m.Run())
}

// apiServer answers a probe's requests, and returns a kubeconfig for it with all permissions.
func apiServer(t *testing.T) (kubeconfig string, stop func()) {
	t.Helper()
	return apiServerThat(t, true)
}

func apiServerThat(t *testing.T, allows bool, change ...func(*corev1.Node)) (kubeconfig string, stop func()) {
	t.Helper()
	node := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker"}, Status: corev1.NodeStatus{
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		NodeInfo:   corev1.NodeSystemInfo{OperatingSystem: "linux", ContainerRuntimeVersion: "containerd://2.3.7"},
	}}
	for _, c := range change {
		c(&node)
	}
	answers := map[string]any{
		"/version":              map[string]string{"gitVersion": "v1.37.1"},
		"/apis/resource.k8s.io": metav1.APIGroup{Versions: []metav1.GroupVersionForDiscovery{{Version: "v1"}}},
		"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": authorizationv1.SelfSubjectAccessReview{Status: authorizationv1.SubjectAccessReviewStatus{Allowed: allows}},
		"/api/v1/nodes": corev1.NodeList{Items: []corev1.Node{node}},
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(s.Close)
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: s.URL}
	config.Contexts["c"] = &clientcmdapi.Context{Cluster: "c"}
	config.CurrentContext = "c"
	if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	return kubeconfig, s.Close
}

func options(t *testing.T, kubeconfig string, focus ...string) (run.Options, *bytes.Buffer) {
	var out bytes.Buffer
	return run.Options{
		Config: testbed.Config{Kubeconfig: kubeconfig, ReportDir: filepath.Join(t.TempDir(), "reports"), Out: &out}, Parallel: 2, Timeout: time.Minute, Seed: 1,
		Filter: plan.Filter{Focus: focus},
	}, &out
}

func statuses(r schema.Report) map[string]spec.Status {
	got := map[string]spec.Status{}
	for _, c := range r.Cases {
		got[c.ID] = c.Status
	}
	return got
}

func reason(r schema.Report, id string) string {
	for _, c := range r.Cases {
		if c.ID == id {
			return c.Reason + c.Failure
		}
	}
	return ""
}

// noFilesLeft fails the test if a run left files in the temporary directory.
func noFilesLeft(t *testing.T) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	t.Cleanup(func() {
		if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "dratest-run-*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

func log(t *testing.T, o run.Options) {
	t.Helper()
	data, _ := os.ReadFile(filepath.Join(o.ReportDir, "e2e.log"))
	t.Logf("e2e.log:\n%s", data)
}

func TestRunOfAllKinds(t *testing.T) {
	noFilesLeft(t)
	kubeconfig, _ := apiServer(t)
	o, out := options(t, kubeconfig, "^fake/(passes|fails|panics|times-out|skipped)")
	r, err := run.Run(t.Context(), parts(), o)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, o)
	want := map[string]spec.Status{
		"fake/passes": spec.Passed, "fake/passes-too": spec.Passed, "fake/fails": spec.Failed, "fake/panics": spec.Failed,
		"fake/times-out": spec.Failed, "fake/skipped": spec.NotApplicable,
	}
	if d := cmp.Diff(want, statuses(r)); d != "" {
		t.Error(d)
		log(t, o)
	}
	if r.Summary.Verdict != schema.Failed || len(r.Problems) != 0 {
		t.Errorf("verdict %s, problems %q", r.Summary.Verdict, r.Problems)
	}
	for _, line := range []string{"ok   fake/passes ", "FAIL fake/fails ", "     one is not two", "skip fake/skipped", "slowest: fake/times-out", "verdict: failed: 3 of 6 cases"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("console does not say %q:\n%s", line, out)
		}
	}
	files := append(reports.FilesOf(schema.EngineRun), reports.ConformanceFile)
	for _, name := range files {
		if _, err := os.Stat(filepath.Join(o.ReportDir, name)); err != nil {
			t.Error(err)
		}
	}
	if entries, _ := os.ReadDir(o.ReportDir); len(entries) != len(files) {
		t.Errorf("too many files: %v", entries)
	}
}

func TestRunThatPasses(t *testing.T) {
	for name, parallel := range map[string]int{"one process": 1, "three processes": 3} {
		t.Run(name, func(t *testing.T) {
			kubeconfig, _ := apiServer(t)
			o, _ := options(t, kubeconfig, "^fake/passes")
			o.Parallel = parallel
			// Report and journal of an earlier run must not be mistaken for this one's.
			if err := os.MkdirAll(o.ReportDir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(o.ReportDir, "outcomes.jsonl"), []byte(`{"id":"fake/fails","outcome":{"id":"fake/fails"}}`+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := run.Run(t.Context(), parts(), o)
			if err != nil || r.Summary.Verdict != schema.Passed || r.Summary.Passed != 2 {
				t.Errorf("%v, %+v, %q", err, r.Summary, r.Problems)
				log(t, o)
			}
			holds(t, o)
		})
	}
}

func TestRunNeverLooksBetterThanGinkgo(t *testing.T) {
	for name, tc := range map[string]struct {
		focus, problem, reason string
		verdict                schema.Verdict
	}{
		"fails after it ended":  {"^fake/late", "case fake/late failed after it had ended", "", schema.Incomplete},
		"its process goes away": {"^fake/exits", "", "did not end", schema.Incomplete},
		"no connection":         {"^fake/passes$|^fake/passes ", "connect to the test driver's agents: no way", "did not end", schema.Incomplete},
	} {
		t.Run(name, func(t *testing.T) {
			kubeconfig, _ := apiServer(t)
			o, _ := options(t, kubeconfig, tc.focus)
			if name == "no connection" {
				t.Setenv("FAKE_NO_CONNECTION", "yes")
			}
			r, err := run.Run(t.Context(), parts(), o)
			if err != nil {
				t.Fatal(err)
			}
			holds(t, o)
			if r.Summary.Verdict != tc.verdict || !strings.Contains(strings.Join(r.Problems, "\n"), tc.problem) ||
				!strings.Contains(reason(r, r.Cases[0].ID), tc.reason) {
				t.Errorf("got %s, problems %q, case %+v", r.Summary.Verdict, r.Problems, r.Cases[0])
				log(t, o)
			}
		})
	}
}

func TestFailFast(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	o, _ := options(t, kubeconfig, "^fake/(fails|hangs)")
	o.FailFast, o.Parallel = true, 2
	r, err := run.Run(t.Context(), parts(), o)
	if err != nil || r.Summary.Verdict != schema.Failed || r.Summary.Failed == 0 {
		t.Errorf("%v, %+v", err, r.Summary)
	}
	holds(t, o)
}

func TestTimeLimit(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	o, _ := options(t, kubeconfig, "^fake/(hangs|serial)")
	o.Timeout = 2 * time.Second
	o.Parallel = 1 // Ginkgo's processes count their time from when each of them starts
	r, err := run.Run(t.Context(), parts(), o)
	if err != nil || r.Summary.Verdict == schema.Passed || !strings.Contains(reason(r, "fake/serial"), "the time limit of 2s was reached") {
		t.Errorf("%v, %+v, %q", err, r.Summary, reason(r, "fake/serial"))
		log(t, o)
	}
	holds(t, o)
}

// signalWhenRunning sends signals once a case runs.
func signalWhenRunning(t *testing.T, o run.Options, signals chan<- os.Signal, n int) {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for range ticker.C {
		if data, _ := os.ReadFile(filepath.Join(o.ReportDir, "outcomes.jsonl")); strings.Contains(string(data), `"id":"fake/`) {
			break
		}
		if t.Context().Err() != nil {
			return
		}
	}
	for range n {
		signals <- syscall.SIGINT
	}
}

func TestInterrupts(t *testing.T) {
	for name, tc := range map[string]struct {
		focus   string
		signals int
		reason  string
		cleaned bool
	}{
		"once: the case cleans up":         {"^fake/(hangs|serial)", 1, "the run was interrupted", true},
		"twice: a deaf case is left alone": {"^fake/deaf", 2, "interrupted twice", false},
	} {
		t.Run(name, func(t *testing.T) {
			noFilesLeft(t)
			kubeconfig, _ := apiServer(t)
			o, _ := options(t, kubeconfig, tc.focus)
			marker := filepath.Join(t.TempDir(), "cleaned")
			t.Setenv("FAKE_MARKER", marker)
			signals := make(chan os.Signal, 3)
			o.Signals = signals
			go signalWhenRunning(t, o, signals, tc.signals)
			began := time.Now()
			r, err := run.Run(t.Context(), parts(), o)
			if err != nil || r.Summary.Verdict == schema.Passed || time.Since(began) > 20*time.Second {
				t.Errorf("%v, %+v after %s", err, r.Summary, time.Since(began))
				log(t, o)
			}
			holds(t, o)
			last := r.Cases[len(r.Cases)-1]
			if !strings.Contains(last.Reason, tc.reason) {
				t.Errorf("case %+v", last)
			}
			cleaned, _ := os.ReadFile(marker)
			if got := string(cleaned) == "x"; got != tc.cleaned {
				t.Errorf("cleaned %q, want %t (exactly once)", cleaned, tc.cleaned)
			}
		})
	}
}

func TestNothingIsBroughtUpForNothing(t *testing.T) {
	provider := &fakeProvider{}
	p := parts()
	p.Clusters = provider
	o, _ := options(t, "", "no such case")
	if _, err := run.Run(t.Context(), p, o); !errors.Is(err, run.ErrNothingRan) || provider.created != 0 {
		t.Errorf("got %v, %d clusters", err, provider.created)
	}
	// CI systems took the absence of results for success.
	if junit, err := os.ReadFile(filepath.Join(o.ReportDir, reports.JUnitFile)); !strings.Contains(string(junit), "<error") || !strings.Contains(string(junit), "none of the") {
		t.Errorf("CI systems see %s, %v", junit, err)
	}
	if entries, _ := os.ReadDir(o.ReportDir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestEverythingIsRemoved(t *testing.T) {
	kubeconfig, stop := apiServer(t)
	for _, tc := range []struct {
		name    string
		keep    bool
		gone    bool // the cluster, from here on
		deleted int
	}{
		{"after cases", false, false, 1},
		{"not with keep", true, false, 0},
		{"when the probe fails", false, true, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			provider := &fakeProvider{kubeconfig: kubeconfig}
			if tc.gone {
				stop()
			}
			p := parts()
			p.Clusters = provider
			o, _ := options(t, "", "^fake/passes")
			o.Keep = tc.keep
			_, err := run.Run(t.Context(), p, o)
			if (err != nil) != tc.gone || provider.created != 1 || provider.deleted != tc.deleted {
				t.Errorf("%v, created %d, deleted %d", err, provider.created, provider.deleted)
			}
			// A temporary cluster may be replaced by others if this process is killed.
			if provider.config.Temporary == tc.keep {
				t.Errorf("temporary: %t", provider.config.Temporary)
			}
		})
	}
}

// Cases leave their namespaces to a cluster that goes away with the run, and to no other.
func TestTemporaryCluster(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	for name, tc := range map[string]struct {
		config    testbed.Config
		temporary bool
	}{
		"made for the run": {temporary: true},
		"kept":             {config: testbed.Config{Keep: true}},
		"existing":         {config: testbed.Config{Kubeconfig: kubeconfig}},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := testbed.Open(t.Context(), testbed.Parts{Clusters: &fakeProvider{kubeconfig: kubeconfig}}, tc.config)
			if err != nil || b.Temporary() != tc.temporary {
				t.Errorf("temporary: %t, %v", b.Temporary(), err)
			}
		})
	}
}

func TestSecondRunInTheSameDirectory(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	first, _ := options(t, kubeconfig, "^fake/hangs")
	signals := make(chan os.Signal, 1)
	first.Signals = signals
	running := make(chan error)
	go func() {
		_, err := run.Run(context.Background(), parts(), first)
		running <- err
	}()
	probe := make(chan os.Signal, 1)
	signalWhenRunning(t, first, probe, 1)
	second, _ := options(t, kubeconfig, "^fake/passes")
	second.ReportDir = first.ReportDir
	_, err := run.Run(t.Context(), parts(), second)
	if !errors.Is(err, reports.ErrInUse) || !strings.Contains(err.Error(), "process ") {
		t.Errorf("got %v", err)
	}
	signals <- syscall.SIGINT
	if err := <-running; err != nil {
		t.Error(err)
	}
}

type fakeProvider struct {
	clusters.Provider

	kubeconfig       string
	config           clusters.Config
	created, deleted int
}

func (*fakeProvider) Name() string { return "kind" }

func (p *fakeProvider) Create(_ context.Context, config clusters.Config) (clusters.Cluster, error) {
	p.created++
	p.config = config
	return clusters.Cluster{Name: "fake", Kubeconfig: p.kubeconfig}, nil
}

func (p *fakeProvider) Delete(context.Context, string) error {
	p.deleted++
	return nil
}
