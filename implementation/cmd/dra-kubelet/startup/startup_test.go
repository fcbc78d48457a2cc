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

package startup

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet"
)

const kubeletEnv = "DRATEST_TEST_KUBELET"

// TestMain also acts as both kubelets, because feature gates and logging can only be set once per
// process.
func TestMain(m *testing.M) {
	switch os.Getenv(kubeletEnv) {
	case "stock":
		os.Exit(cli.Run(app.NewKubeletCommand(context.Background())))
	case "own":
		os.Exit(cli.Run(Command(context.Background(), notReached)))
	}
	os.Exit(m.Run())
}

func notReached(context.Context, *options.KubeletServer, *kubelet.Dependencies) error {
	return errors.New("the configuration should not have been valid")
}

// outcome is a kubelet's output and error.
type outcome struct {
	Stdout string
	Log    []string
	Failed bool
	// Err is the error message. Each kubelet has its own wording.
	Err string
}

// The kubelet logs the configuration, then validates it. A negative number of pods makes it stop
// there.
var stop = []string{"-v=1", "--max-pods=-1"}

var header = regexp.MustCompile(`(?m)^[IWEF]\d{4} \S+ +\d+ \S+\] `)

// startKubelet runs a kubelet in the directory.
func startKubelet(t *testing.T, whose, folder string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &stdout, &stderr
	cmd.Env = append(os.Environ(), kubeletEnv+"="+whose)
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	result := outcome{Stdout: stdout.String(), Failed: err != nil}
	lines := strings.Split(strings.TrimSpace(header.ReplaceAllString(stderr.String(), "")), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, `"command failed"`) {
			result.Err = strings.Join(lines[i:], "\n")
			break
		}
		result.Log = append(result.Log, line)
	}
	return result
}

const kind = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"

// write creates a directory with the files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

var valid = []struct {
	name  string
	files map[string]string
	args  string
	want  string // an expected line of the configuration
}{
	{name: "defaults", want: "address: 0.0.0.0"},
	{name: "flags", args: "--cluster-domain=test --node-labels=a=b --node-labels=c=d --system-reserved=cpu=1,memory=1Gi --eviction-hard=memory.available<1Gi",
		want: "clusterDomain: test"},
	{name: "flag with underscores", args: "--cluster_domain=test", want: "clusterDomain: test"},
	{name: "file, relative paths", files: map[string]string{"etc/kubelet.yaml": kind + "staticPodPath: manifests\nauthentication: {x509: {clientCAFile: pki/ca.crt}}\n"},
		args: "--config=etc/kubelet.yaml", want: "etc/manifests"},
	{name: "file without eviction", files: map[string]string{"k": kind + "clusterDomain: file\n"}, args: "--config=k", want: "memory.available: 100Mi"},
	{name: "file with eviction", files: map[string]string{"k": kind + "evictionHard: {memory.available: 5Mi}\n"}, args: "--config=k", want: "memory.available: 5Mi"},
	{name: "file with eviction over defaults", files: map[string]string{"k": kind + "evictionHard: {memory.available: 5Mi}\nmergeDefaultEvictionSettings: true\n"},
		args: "--config=k", want: "nodefs.inodesFree: 5%"},
	{name: "flag over file", files: map[string]string{"k": kind + "clusterDomain: file\nsystemReserved: {cpu: \"1\", memory: 1Gi}\n"},
		args: "--config=k --cluster-domain=flag --system-reserved=cpu=2", want: "clusterDomain: flag"},
	{name: "gates of flag and file", files: map[string]string{"k": kind + "featureGates: {KubeletInUserNamespace: true, DRANodeAllocatableResources: true}\n"},
		args: "--config=k --feature-gates=KubeletInUserNamespace=false,AllAlpha=false", want: "KubeletInUserNamespace: false"},
	{name: "drop-ins", files: map[string]string{
		"k":            kind + "clusterDomain: file\nsystemReserved: {cpu: \"1\", memory: 1Gi}\nclusterDNS: [1.1.1.1, 2.2.2.2]\n",
		"d/10.conf":    kind + "clusterDomain: ten\nsystemReserved: {cpu: \"2\"}\nclusterDNS: [3.3.3.3]\n",
		"d/20/05.conf": kind + "clusterDomain: twenty\n",
		"d/30.yaml":    kind + "clusterDomain: skipped\n",
	}, args: "--config=k --config-dir=d", want: "clusterDomain: twenty"},
	{name: "drop-ins without a file", files: map[string]string{"d/10.conf": kind + "clusterDomain: ten\n"}, args: "--config-dir=d --healthz-port=1", want: "healthzPort: 1"},
	{name: "flag over drop-ins", files: map[string]string{"d/10.conf": kind + "clusterDomain: ten\nfeatureGates: {KubeletInUserNamespace: true}\n"},
		args: "--config-dir=d --cluster-domain=flag --feature-gates=AllAlpha=false", want: "clusterDomain: flag"},
	{name: "unknown field", files: map[string]string{"k": kind + "clusterDomain: file\ndomain: x\n"}, args: "--config=k", want: `unknown field \"domain\"`},
	{name: "secrets", files: map[string]string{"k": kind + "staticPodURLHeader: {Authorization: [secret]}\n"}, args: "--config=k", want: "<masked>"},
	{name: "flags of the kubelet only", args: "--node-ip=10.0.0.1 --hostname-override=n --root-dir=/r --register-with-taints=a=b:NoSchedule", want: `--root-dir="/r"`},
}

// Both kubelets must end up with the same configuration and flags.
func TestConfigurationIsStocks(t *testing.T) {
	for _, row := range valid {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			args := append(strings.Fields(row.args), stop...)
			folder := write(t, row.files)
			stock, own := startKubelet(t, "stock", folder, args...), startKubelet(t, "own", folder, args...)
			if diff := cmp.Diff(stock.Log, own.Log); diff != "" {
				t.Errorf("log, stock -, own +:\n%s", diff)
			}
			if !strings.Contains(strings.Join(own.Log, "\n"), row.want) {
				t.Errorf("no %q in:\n%s", row.want, strings.Join(own.Log, "\n"))
			}
			for _, o := range []outcome{stock, own} {
				if !strings.Contains(o.Err, "maxPods") && !strings.Contains(o.Err, "max-pods") {
					t.Errorf("ended otherwise than by the negative number of pods: %s", o.Err)
				}
			}
		})
	}
}

var invalid = []struct {
	name  string
	files map[string]string
	args  string
	want  string // in both messages
}{
	{name: "unknown flag", args: "--no-such-flag", want: "no-such-flag"},
	{name: "command", args: "start", want: "unknown command start"},
	{name: "no such file", args: "--config=k", want: "no such file"},
	{name: "empty file", files: map[string]string{"k": ""}, args: "--config=k", want: "was empty"},
	{name: "unknown gate", args: "--feature-gates=NoSuchGate=true", want: "NoSuchGate"},
	{name: "foreign label", args: "--node-labels=x.kubernetes.io/x=y", want: "x.kubernetes.io/x"},
	{name: "no such directory", args: "--config-dir=d", want: "no such file"},
	{name: "drop-in without kind", files: map[string]string{"d/1.conf": "clusterDomain: x\n"}, args: "--config-dir=d", want: "d/1.conf"},
	{name: "drop-in of another kind", files: map[string]string{"d/1.conf": "apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\n"},
		args: "--config-dir=d", want: "CredentialProviderConfig"},
	{name: "unknown log format", args: "--logging-format=xml", want: "xml"},
}

// Both kubelets must reject invalid input for the same reason.
func TestRefusalsAreStocks(t *testing.T) {
	for _, row := range invalid {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			folder := write(t, row.files)
			for _, whose := range []string{"stock", "own"} {
				if o := startKubelet(t, whose, folder, strings.Fields(row.args)...); !o.Failed || !strings.Contains(o.Err, row.want) {
					t.Errorf("%s: failed is %t, without %q:\n%s", whose, o.Failed, row.want, o.Err)
				}
			}
		})
	}
}

func TestTextsAreStocks(t *testing.T) {
	for _, flag := range []string{"--help", "-h", "--version", "--version=raw"} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			stock, own := startKubelet(t, "stock", t.TempDir(), flag), startKubelet(t, "own", t.TempDir(), flag)
			if diff := cmp.Diff(stock, own); diff != "" || stock.Failed || stock.Stdout == "" {
				t.Errorf("stock -, own +:\n%s", diff)
			}
		})
	}
}
