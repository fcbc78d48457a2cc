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

package classic_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/dra-conformance/dratest/framework/companions/classic"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
)

// programs are scripts writing their arguments (the scheduler also its configuration) and staying alive.
func programs(t *testing.T) classic.Programs {
	t.Helper()
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\nexec sleep 1000\n"), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
		return path
	}
	config := clientcmdapi.Config{
		CurrentContext: "c", Contexts: map[string]*clientcmdapi.Context{"c": {Cluster: "c", AuthInfo: "u"}},
		Clusters: map[string]*clientcmdapi.Cluster{"c": {Server: "https://127.0.0.1:1"}}, AuthInfos: map[string]*clientcmdapi.AuthInfo{"u": {Token: "secret"}},
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	return classic.Programs{
		Scheduler: script("scheduler", `cat "${1#--config=}"`), Driver: script("driver", `echo "$@"`), Kubeconfig: kubeconfig,
		Config: []byte("clientConnection: {kubeconfig: there}\nprofiles:\n- {schedulerName: default-scheduler}\n"),
	}
}

// waitLog waits until a log contains a text so many times.
func waitLog(t *testing.T, path, text string, times int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		log, err := os.ReadFile(path)
		if err == nil && strings.Count(string(log), text) == times {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%q is not %d times in: %s, %v", text, times, log, err)
		}
	}
}

func TestScheduler(t *testing.T) {
	logs, temporary := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	p, err := programs(t).Start(logs, classicdra.ProcessConfig{Scheduler: "mine", User: "system:kube-scheduler", Log: "log"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"schedulerName: mine\n", "leaderElect: false\n", "kubeconfig: " + temporary} {
		waitLog(t, filepath.Join(logs, "log"), want, 1)
	}
	if err := p.Remove(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestDriverIsKilledAndChanged(t *testing.T) {
	logs := t.TempDir()
	what := classicdra.ProcessConfig{Driver: classicdra.DriverConfig{Name: "d.example.com", Devices: 2, Nodes: []string{"a", "b"}}, User: "u", Log: "log"}
	p, err := programs(t).Start(logs, what)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Remove() }()
	waitLog(t, filepath.Join(logs, "log"), "--nodes=kubernetes.io/hostname in (a,b)", 1)
	if held, err := p.Held(); err != nil || len(held) > 0 {
		t.Errorf("held: %v, %v", held, err)
	}
	for range 2 {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	}
	what.Driver.FailAllocate = -1
	if err := p.Begin(what); err != nil {
		t.Error(err)
	}
	waitLog(t, filepath.Join(logs, "log"), "--fail-allocate=-1", 1)
}

// Work before a kill does not count; held devices can be changed while it is down.
func TestDriverWorksAgain(t *testing.T) {
	logs := t.TempDir()
	what := classicdra.ProcessConfig{Driver: classicdra.DriverConfig{Name: "d.example.com", Nodes: []string{"a"}}, User: "u", Log: "log"}
	p, err := programs(t).Start(logs, what)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Remove() }()
	works := func(want bool) {
		t.Helper()
		if got, err := p.Worked(); err != nil || got != want {
			t.Errorf("works: %t, %v", got, err)
		}
	}
	works(false)
	log, err := os.OpenFile(filepath.Join(logs, "log"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	if _, err := log.WriteString(`"Allocated claim" item="claim ns/c"` + "\n"); err != nil {
		t.Fatal(err)
	}
	works(true)
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
	for _, more := range []map[string]string{{"one": "a/device-0"}, {"two": "a/device-0"}} {
		if err := p.(interface{ Hold(map[string]string) error }).Hold(more); err != nil {
			t.Error(err)
		}
	}
	if err := p.Begin(what); err != nil {
		t.Error(err)
	}
	works(false)
	if held, err := p.Held(); err != nil || len(held) != 2 || held["one"] != "a/device-0" || held["two"] != "a/device-0" {
		t.Errorf("held %v, %v", held, err)
	}
}

func TestProcessIsEither(t *testing.T) {
	p, err := programs(t).Start(t.TempDir(), classicdra.ProcessConfig{User: "u", Log: "log"})
	if err == nil || !strings.Contains(err.Error(), "a scheduler or a driver") {
		t.Errorf("got %v", err)
	}
	if err := p.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := (classic.Programs{}).Start(t.TempDir(), classicdra.ProcessConfig{Scheduler: "s", User: "u", Log: "log"}); err == nil {
		t.Error("it was started without a program")
	}
}

func simulator(p classicdra.Process) classicdra.Simulator {
	return p.(classicdra.Simulator)
}

// A simulation uses the devices of the driver's last start, with the node as input; an error has the program's
// message.
func TestSimulate(t *testing.T) {
	all := programs(t)
	script := `#!/bin/sh
test "$1" = simulate || exec sleep 1000
test "$4" = --count=2 && grep -q '"name":"like"' || exit 1
case "$*" in *"--devices=3 --network=false --nodes=kubernetes.io/hostname in (a) --refuse-nodes=a"*) ;; *) echo bad "$@" >&2; exit 1;; esac
echo '{"pods":[{"name":"pod","node":"new-1","new":true}]}'
`
	if err := os.WriteFile(all.Driver, []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	what := classicdra.ProcessConfig{Driver: classicdra.DriverConfig{Name: "d.example.com", Devices: 2, Nodes: []string{"a"}, Refuse: []string{"a"}}, User: "u", Log: "log"}
	p, err := all.Start(t.TempDir(), what)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Remove() }()
	like := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "like"}}
	if _, err := simulator(p).Simulate(t.Context(), like, 2); err == nil || !strings.Contains(err.Error(), "bad simulate") {
		t.Errorf("got %v", err)
	}
	what.Driver.Devices = 3
	if err := p.Begin(what); err != nil {
		t.Fatal(err)
	}
	got, err := simulator(p).Simulate(t.Context(), like, 2)
	if err != nil || len(got.Pods) != 1 || got.Pods[0].Node != "new-1" || !got.Pods[0].New {
		t.Errorf("got %+v, %v", got, err)
	}
	scheduler, err := all.Start(t.TempDir(), classicdra.ProcessConfig{Scheduler: "s", User: "u", Log: "log"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = scheduler.Remove() }()
	if _, err := simulator(scheduler).Simulate(t.Context(), like, 2); err == nil {
		t.Error("a scheduler simulates")
	}
}
