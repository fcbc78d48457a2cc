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
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestClusterFlagsOverrideTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	text := "name: file\nworkers: 3\nversion: v1.36.4\nfeatureGates: {A: true, B: true}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		args []string
		want clusters.Config
	}{
		{"nothing", nil, clusters.Config{}},
		{"file", []string{"--config", file}, clusters.Config{
			Name: "file", Workers: new(3), Version: "v1.36.4", FeatureGates: map[string]bool{"A": true, "B": true},
		}},
		{"both", []string{"--config", file, "--name=x", "--workers=0", "--feature-gates=B=false,C=true", "--keep"}, clusters.Config{
			Name: "x", Workers: new(0), Version: "v1.36.4", FeatureGates: map[string]bool{"A": true, "B": false, "C": true}, Keep: true,
		}},
		{"scheduler", []string{"--stack=stock", "--scheduler=own"}, clusters.Config{Stack: clusters.Stack{Scheduler: spec.Own, Controllers: spec.Stock, Kubelet: spec.Stock}}},
		{"stack", []string{"--stack=own"}, clusters.Config{Stack: clusters.Stack{Scheduler: spec.Own, Controllers: spec.Own, Kubelet: spec.Own}}},
		{"some kubelets", []string{"--controllers=own", "--kubelet=own:worker2"}, clusters.Config{Stack: clusters.Stack{
			Controllers: spec.Own, Kubelet: spec.Own, KubeletNodes: []string{"worker2"},
		}}},
		{"flags", []string{"--version=v1.37.1", "--image=i", "--runtime-config=resource.k8s.io/v1beta2=true"}, clusters.Config{
			Version: "v1.37.1", Image: "i", RuntimeConfig: map[string]string{"resource.k8s.io/v1beta2": "true"},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var flags clusterFlags
			var got clusters.Config
			cmd := &cobra.Command{RunE: func(cmd *cobra.Command, _ []string) (err error) {
				got, err = flags.config(cmd, target{})
				return err
			}}
			flags.add(cmd.Flags())
			cmd.SetArgs(tc.args)
			if err := cmd.Execute(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClusterCommandsRefuseBadInput(t *testing.T) {
	t.Setenv("DRATEST_STATE", t.TempDir())
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	if err := os.WriteFile(file, []byte("name: x\nwrokers: 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name    string
		args    string
		code    int
		message string
	}{
		{"unknown flag", "cluster create --wrokers=2", codeUsage, "--wrokers"},
		{"argument", "cluster create x", codeUsage, "x"},
		{"bad name", "cluster create --name=Not_A_Name", codeUsage, "name:"},
		{"bad gate", "cluster create --feature-gates=A=maybe", codeUsage, "A"},
		{"unknown image source", "cluster create --node-image-source=hub", codeUsage, "must be auto, registry or build"},
		{"image and its source", "cluster create --image=x --node-image-source=build", codeUsage, "give one of them"},
		{"registry for nothing", "cluster create --node-image-registry=r --node-image-source=build", codeUsage, "is not asked"},
		{"bad registry", "run --dry-run --node-image-registry=http://r", codeUsage, "is not like"},
		{"unknown provider", "cluster create --provider=k3s", codeUsage, "known are kind and controlplane"},
		{"nodes of kind", "cluster create --nodes=5", codeUsage, "provider kind has no simulated nodes"},
		{"workers of a control plane", "cluster create --provider=controlplane --workers=1", codeUsage, "has no real nodes"},
		{"too many nodes", "cluster create --provider=controlplane --nodes=10001", codeUsage, "between 0 and 10000"},
		{"control plane of an unknown version", "cluster create --provider=controlplane --version=v9.99.9", codeUsage, "take a newer release of dratest"},
		{"provider of an existing cluster", "cluster create --provider=controlplane --context=x", codeUsage, "not both"},
		{"too many workers", "cluster create --workers=99", codeUsage, "between 0 and 20"},
		{"unknown version", "cluster create --version=v9.99.9", codeUsage, "take a newer release of dratest"},
		{"no such file", "cluster create --config=/does/not/exist", codeUsage, "/does/not/exist"},
		{"malformed file", "cluster create --config=" + file, codeUsage, `line 2: unknown field "wrokers"`},
		{"no such kubeconfig", "cluster create --kubeconfig=/does/not/exist", codeEnvironment, "/does/not/exist"},
		{"unknown format", "cluster list -o wide", codeUsage, "json"},
		{"all and names", "cluster delete --all x", codeUsage, "not both"},
		{"all and a name", "cluster delete --all --name=x", codeUsage, "not both"},
		{"empty name", "cluster delete --name=", codeUsage, "cluster list"},
		{"unknown implementation", "cluster create --scheduler=ours", codeUsage, "neither stock nor own"},
		{"unknown component", "cluster create --stack=etcd=own", codeUsage, "known are [scheduler controllers kubelet]"},
		{"own scheduler of another version", "cluster create --scheduler=own --version=v1.36.4", codeUsage, "use --stack=stock or Kubernetes " + versions.Newest().Kubernetes},
		{"node without kubelet", "cluster switch --scheduler=own --node=worker", codeUsage, "says nothing without kubelet"},
		{"stack of an existing cluster", "cluster create --kubeconfig=/does/not/exist --scheduler=own", codeEnvironment, "cannot be chosen"},
		{"switch to nothing", "cluster switch", codeUsage, "--scheduler=own"},
		{"switch of an existing cluster", "cluster switch --scheduler=own --context=x", codeUsage, "that dratest made"},
		{"switch of an unknown cluster", "cluster switch --scheduler=own --name=nobody", codeEnvironment, "nobody"},
		{"load nothing", "cluster load", codeUsage, "at least 1"},
		{"load into an existing cluster", "cluster load x --context=x", codeUsage, "that dratest made"},
		{"load into an unknown cluster", "cluster load x --name=nobody", codeEnvironment, "nobody"},
		{"unknown cluster", "cluster kubeconfig nobody", codeUsage, "nobody"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := newRootCommand()
			root.SetArgs(strings.Fields(tc.args))
			root.SetOut(io.Discard)
			root.SetErr(io.Discard)
			err := root.ExecuteContext(t.Context())
			if err == nil || exitCode(err) != tc.code || !strings.Contains(err.Error(), tc.message) {
				t.Errorf("got %v, exit code %d", err, exitCode(err))
			}
		})
	}
}

func TestDeletions(t *testing.T) {
	for _, tc := range []struct {
		named []string
		all   bool
		want  []string
	}{
		{nil, false, []string{clusters.DefaultName}},
		{[]string{"b", "a", "b"}, false, []string{"a", "b"}},
		{nil, true, []string{"x", "y"}},
	} {
		got, err := deletions(t.Context(), someClusters{}, tc.named, tc.all)
		if d := cmp.Diff(tc.want, got); err != nil || d != "" {
			t.Errorf("%v: %v %s", tc.named, err, d)
		}
	}
}

func TestDeleteClustersSaysWhatIsGone(t *testing.T) {
	var out bytes.Buffer
	err := deleteClusters(t.Context(), &out, someClusters{}, []string{"stuck", "x", "z"})
	if want := "deleted cluster x\ncluster z was not there\n"; !errors.Is(err, errStuck) || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// Without a container engine kind cannot list its clusters. This blocked deletion of control planes.
func TestDeleteClustersThoughNotAllCanBeListed(t *testing.T) {
	var out bytes.Buffer
	if err := deleteClusters(t.Context(), &out, unlisted{}, []string{"x"}); err != nil || out.String() != "deleted cluster x\n" {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// unlisted is a provider whose List fails.
type unlisted struct{ someClusters }

func (unlisted) List(context.Context) ([]clusters.Cluster, error) {
	return nil, errors.New("no engine")
}

var errStuck = errors.New("stuck")

// someClusters is a provider with two clusters.
type someClusters struct{ clusters.Provider }

func (someClusters) Delete(_ context.Context, name string) error {
	if name == "stuck" {
		return errStuck
	}
	return nil
}

func (someClusters) List(context.Context) ([]clusters.Cluster, error) {
	return []clusters.Cluster{{Name: "x"}, {Name: "y"}}, nil
}

func TestPrintClusters(t *testing.T) {
	var out bytes.Buffer
	now := time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)
	err := printClusters(&out, []clusters.Cluster{
		{Name: "a", Provider: "kind", Status: clusters.Running, Version: "v1.37.1", Nodes: 3, Created: now.Add(-90 * time.Second), Kubeconfig: "/a", Stack: clusters.Stack{Scheduler: spec.Own}},
		{Name: "longer", Kubeconfig: "/b"},
	}, now)
	want := `NAME     PROVIDER   STATUS    VERSION   NODES   STACK           AGE   KUBECONFIG
a        kind       Running   v1.37.1   3       scheduler=own   90s   /a
longer   -                              0       -               -     /b
`
	if err != nil || out.String() != want {
		t.Errorf("got %v\n%s", err, out.String())
	}
	if err := printClusters(brokenWriter{}, nil, now); err == nil {
		t.Error("a write error is lost")
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }
