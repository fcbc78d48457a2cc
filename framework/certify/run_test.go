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
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/profile"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/verify"
)

// apiServer has one node with a driver, and returns a kubeconfig for it.
func apiServer(t *testing.T, w world) (kubeconfig string) {
	t.Helper()
	node := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: corev1.NodeStatus{
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}, NodeInfo: corev1.NodeSystemInfo{OperatingSystem: "linux", KubeletVersion: "v1.37.1"},
	}}
	answers := map[string]any{
		"/version":              map[string]string{"gitVersion": "v1.37.1"},
		"/apis/resource.k8s.io": metav1.APIGroup{Versions: []metav1.GroupVersionForDiscovery{{Version: "v1"}}},
		"/api/v1/nodes":         corev1.NodeList{Items: []corev1.Node{node}},
		"/api/v1/nodes/a":       node,
		"/api/v1/pods":          corev1.PodList{},
		"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": authorizationv1.SelfSubjectAccessReview{Status: authorizationv1.SubjectAccessReviewStatus{Allowed: true}},
		"/apis/resource.k8s.io/v1/resourceslices":                resourceapi.ResourceSliceList{Items: w.slices},
		"/apis/resource.k8s.io/v1/deviceclasses":                 resourceapi.DeviceClassList{Items: w.classes},
		"/apis/resource.k8s.io/v1/resourceclaims":                resourceapi.ResourceClaimList{Items: w.claims},
	}
	for _, p := range w.pods {
		answers["/api/v1/namespaces/"+p.Namespace+"/pods/"+p.Name] = p
	}
	s := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		out.Header().Set("Content-Type", "application/json")
		if !ok {
			out.WriteHeader(http.StatusNotFound)
			answer = metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound}
		}
		_ = json.NewEncoder(out).Encode(answer)
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
	return kubeconfig
}

// agents return a test's files for all nodes.
type agents struct {
	testbed.Agents
	agentapi.AgentClient

	files map[string][]byte
}

func (a agents) Connect(context.Context, *rest.Config) (agentapi.AgentClient, error) {
	return a, nil
}

func (a agents) GetEvidence(context.Context, *agentapi.EvidenceRequest, ...grpc.CallOption) (*agentapi.Evidence, error) {
	return &agentapi.Evidence{Files: a.files, Missing: []string{"kubelet.log: the node has no journal"}}, nil
}

// TestCertificateOfAnEarlierRun: it does not survive a run with a broken driver, nor one without a verdict.
func TestCertificateOfAnEarlierRun(t *testing.T) {
	for _, tc := range []struct {
		name    string
		change  func(*world)
		err     error
		verdict schema.DriverVerdict
	}{
		{"driver is broken", func(w *world) { w.slices[0].Spec.Pool.ResourceSliceCount = 2 }, ErrDriver, schema.DriverNotCertified},
		{"driver is not there", func(w *world) { w.slices = nil }, ErrNotThere, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, w := declared(), installed()
			d.Deploy.DaemonSet, d.Limits.Republish = "", 2*time.Second
			d.Identity = declarations.Identity{Organization: "Example", Project: "gpu", Version: "v1"}
			d.Workload = declarations.Workload{Image: "tools:1", Present: []string{"true"}, Absent: []string{"true"}}
			tc.change(&w)
			o := Options{Declaration: d, Run: run.Options{Config: testbed.Config{Kubeconfig: apiServer(t, w), ReportDir: t.TempDir(), Out: io.Discard}}}
			file := filepath.Join(o.Run.ReportDir, reports.CertificateFile)
			if err := os.WriteFile(file, []byte(`{"verdict":"certified"}`), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Run(t.Context(), oneCase(), o); !errors.Is(err, tc.err) {
				t.Errorf("ends with %v, want %v", err, tc.err)
			}
			var got schema.Certificate
			data, _ := os.ReadFile(file)
			if len(data) > 0 {
				if err := json.Unmarshal(data, &got); err != nil {
					t.Fatal(err)
				}
			}
			if got.Verdict != tc.verdict || tc.verdict != "" && (got.Kubernetes != "v1.37.1" || !strings.Contains(strings.Join(got.Failures, "\n"), "pool a has 1 slices of generation 0, and says that it has 2")) {
				t.Errorf("the certificate is %s", data)
			}
			if tc.verdict == "" {
				return
			}
			_, reasons, err := verify.Directory(os.DirFS(o.Run.ReportDir), map[schema.Engine]verify.Rules{
				schema.EngineCertify: {Required: schema.Required(run.Metas(oneCase().Cases), nil), Versions: profile.Versions(), Certificate: Derive, Build: reports.SuiteVersion()},
			})
			if err != nil || len(reasons) > 0 {
				t.Errorf("the report does not hold: %v, %s", err, strings.Join(reasons, "\n"))
			}
		})
	}
}

// TestNoLookAfterwards: without the final snapshot there is no certificate.
func TestNoLookAfterwards(t *testing.T) {
	pods := []corev1.Pod{waiting("")}
	for _, tc := range []struct {
		name    string
		files   map[string][]byte
		interim error
		pods    []corev1.Pod
		want    string
	}{
		{"all was seen", map[string][]byte{agentapi.Checkpoint: nil}, nil, pods, ""},
		{"another kubelet's root", map[string][]byte{"sockets": nil}, nil, pods, "correct nodes.kubeletRoot"},
		{"nodes cannot be read", nil, nil, pods, "the node has no journal"},
		{"the run was cut short", map[string][]byte{agentapi.Checkpoint: nil}, context.Canceled, pods, "not looked at"},
		{"agents stay", map[string][]byte{agentapi.Checkpoint: nil}, errors.New("cannot remove the agents"), pods, "cannot remove the agents"},
		{"no daemon set", map[string][]byte{agentapi.Checkpoint: nil}, nil, nil, "whether the driver was restarted is not known"},
		{"a pod was replaced", map[string][]byte{agentapi.Checkpoint: nil}, nil, []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Namespace: "gpu", Name: "gpu-old"}}}, "gpu/gpu-old on node  is gone"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := installed()
			w.pods = pods
			b, err := testbed.Open(t.Context(), testbed.Parts{Agents: agents{files: tc.files}}, testbed.Config{Kubeconfig: apiServer(t, w), Out: io.Discard})
			if err != nil {
				t.Fatal(err)
			}
			c := &running{declaration: declared(), observation: observation{inClass: inClass{devices: map[string][]pools.Device{"a": nil}}}, pods: tc.pods}
			err = tc.interim
			if !errors.Is(err, context.Canceled) {
				err = errors.Join(err, c.After(t.Context(), b))
			}
			j := judge(c.facts(passed().report, err))
			if text := strings.Join(append(j.Failures, j.Missing...), "\n"); (tc.want == "") != (j.Verdict == schema.DriverCertified) || !strings.Contains(text, tc.want) {
				t.Errorf("%s: %s, want %q", j.Verdict, text, tc.want)
			}
		})
	}
}

// TestUninstallAlwaysFollows an attempted install, and is a part of the verdict.
func TestUninstallAlwaysFollows(t *testing.T) {
	for _, tc := range []struct {
		name, install, uninstall string
		want                     string
		verdict                  schema.DriverVerdict
	}{
		{"install fails", "echo no licence; false", "touch $DRATEST_CLUSTER", "no licence", ""},
		{"uninstall fails", "true", "touch $DRATEST_CLUSTER; echo cannot remove; false", "cannot remove", schema.DriverIncomplete},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, w := declared(), installed()
			w.claims = []resourceapi.ResourceClaim{holding("a", "device-0"), holding("a", "device-1")} // to run no case
			d.Deploy.DaemonSet, d.Limits.Republish = "", 2*time.Second
			d.Hooks.Install.Command, d.Hooks.Uninstall.Command = []string{"sh", "-c", tc.install}, []string{"sh", "-c", tc.uninstall}
			marker := filepath.Join(t.TempDir(), "uninstalled")
			o := Options{Declaration: d, Install: true, Cluster: marker, Run: run.Options{Config: testbed.Config{Kubeconfig: apiServer(t, w), ReportDir: t.TempDir(), Out: io.Discard}}}
			j, err := Run(t.Context(), oneCase(), o)
			if !errors.Is(err, ErrNotThere) || !strings.Contains(err.Error(), tc.want) || j.Verdict != tc.verdict || tc.verdict != "" && !strings.Contains(strings.Join(j.Missing, "\n"), tc.want) {
				t.Errorf("ends with %v, and %+v", err, j)
			}
			if _, err := os.Stat(marker); err != nil {
				t.Errorf("uninstall did not run: %v", err)
			}
			junit, err := os.ReadFile(filepath.Join(o.Run.ReportDir, reports.JUnitFile))
			if err != nil || !strings.Contains(string(junit), "<error") || !strings.Contains(string(junit), tc.want) {
				t.Errorf("CI systems see %s, %v", junit, err)
			}
		})
	}
}

func oneCase() run.Parts {
	return run.Parts{Cases: []harness.Case{{Meta: spec.Meta{ID: "core/a", Checks: "It does.", Needs: spec.Needs{Devices: 1}, Requires: []spec.RequirementID{"kep-4381/x"}}}}}
}
