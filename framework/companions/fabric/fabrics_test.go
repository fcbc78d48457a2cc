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

package fabric_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/dra-conformance/dratest/framework/companions/fabric"
	casefabric "github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/spec"
)

// start starts a fabric with a program in place of the controller.
func start(t *testing.T, dir string) (casefabric.Client, error) {
	t.Helper()
	return startAs(t, dir, spec.FabricConfig{Bind: true})
}

// startAs is start with more options.
func startAs(t *testing.T, dir string, as spec.FabricConfig) (casefabric.Client, error) {
	t.Helper()
	as.Driver, as.Devices, as.User = "gpu.example.com", 2, "system:serviceaccount:ns:composable"
	as.DetachAfter, as.DetachTakes = time.Minute, time.Hour
	program, kubeconfig := filepath.Join(t.TempDir(), "program"), filepath.Join(t.TempDir(), "kubeconfig")
	// It logs its arguments and stays alive.
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$@\"\nexec sleep 1000\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	config := clientcmdapi.Config{
		CurrentContext: "c", Contexts: map[string]*clientcmdapi.Context{"c": {Cluster: "c", AuthInfo: "u"}, "d": {Cluster: "d", AuthInfo: "v"}},
		Clusters:  map[string]*clientcmdapi.Cluster{"c": {Server: "https://127.0.0.1:1"}, "d": {Server: "https://127.0.0.1:2"}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"u": {Token: "secret"}, "v": {Token: "of another"}},
	}
	if err := clientcmd.WriteToFile(config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	return fabric.Fabrics{Program: program, Sim: program, Kubeconfig: kubeconfig}.Start(t.Context(), dir, as)
}

func TestFabricIsKilled(t *testing.T) {
	dir := t.TempDir()
	f, err := start(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Stop() }()
	if won, err := f.Take(t.Context()); err != nil || !won {
		t.Fatalf("take: %t, %v", won, err)
	}
	if err := f.Turn(t.Context(), spec.FabricManager, false); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Devices(t.Context()); err == nil {
		t.Error("it still answers")
	}
	if err := f.Turn(t.Context(), spec.FabricManager, true); err != nil {
		t.Fatal(err)
	}
	devices, err := f.Devices(t.Context())
	if err != nil || len(devices) != 2 || !devices["gpu-0"].Elsewhere || devices["gpu-1"].Phase != "Free" {
		t.Errorf("devices %v, %v", devices, err)
	}
	if won, err := f.Take(t.Context()); err != nil || !won {
		t.Errorf("take: %t, %v", won, err)
	}
	if won, err := f.Take(t.Context()); err != nil || won {
		t.Errorf("take what is not there: %t, %v", won, err)
	}
}

// The detach time applies from the start, also after a case has set the rules for attach requests.
func TestDetachingTakesItsTime(t *testing.T) {
	f, err := start(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Stop() }()
	for i, id := range []string{"gpu-0", "gpu-1"} {
		if won, err := f.Take(t.Context()); err != nil || !won {
			t.Fatalf("take: %t, %v", won, err)
		}
		if err := fabric.Detach(t.Context(), f, id); err != nil {
			t.Fatal(err)
		}
		if devices, err := f.Devices(t.Context()); err != nil || devices[id].Phase != "Detaching" {
			t.Errorf("turn %d: devices %v, %v", i, devices, err)
		}
		if err := f.Change(t.Context(), spec.FabricChange{Attach: &[]spec.AttachRule{}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestController(t *testing.T) {
	logs := t.TempDir()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	f, err := start(t, logs)
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(temporary, "dratest-fabric-*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("directories for temporary files: %q, %v", found, err)
	}
	dir := found[0]
	for range 2 {
		if err := f.Turn(t.Context(), spec.FabricController, false); err != nil {
			t.Error(err)
		}
		if err := f.Turn(t.Context(), spec.FabricController, true); err != nil {
			t.Fatal(err)
		}
	}
	wrong := false
	if err := f.Change(t.Context(), spec.FabricChange{Token: &wrong}); err != nil {
		t.Error(err)
	}
	if token, err := os.ReadFile(filepath.Join(dir, "controller-0", "token")); err != nil || string(token) != "token-of-nobody" {
		t.Errorf("token %s, %v", token, err)
	}
	config, err := clientcmd.LoadFromFile(filepath.Join(dir, "controller-0", "kubeconfig"))
	if err != nil || config.AuthInfos["u"].Impersonate != "system:serviceaccount:ns:composable" {
		t.Errorf("kubeconfig %v, %v", config, err)
	}
	if config != nil && (len(config.Contexts) != 1 || len(config.Clusters) != 1 || len(config.AuthInfos) != 1) {
		t.Errorf("the kubeconfig has what the controller does not need: %v", config)
	}
	if err := f.Stop(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "dratest-fabric-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	if files, err := os.ReadDir(logs); err != nil || len(files) != 1 || files[0].Name() != "controller.log" {
		t.Errorf("beside the log: %v, %v", files, err)
	}
}

// Each node's driver is killed and restarted separately.
func TestDrivers(t *testing.T) {
	logs := t.TempDir()
	f, err := startAs(t, logs, spec.FabricConfig{Drivers: []string{"n1", "n2"}, Rescan: time.Second, DriverUser: "system:serviceaccount:ns:driver"})
	defer func() {
		if err := f.Stop(); err != nil {
			t.Error(err)
		}
	}()
	if err != nil {
		t.Fatal(err)
	}
	drivers := f.(interface {
		TurnDriver(node string, on bool) error
		DriverAsked(node string) time.Time
	})
	lines := func(node string) []string {
		log, err := os.ReadFile(filepath.Join(logs, fabric.DriverLog(node)))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(log)), "\n")
	}
	for len(lines("n1")[0]) == 0 { // it has not begun
		time.Sleep(time.Millisecond)
	}
	for _, on := range []bool{false, false, true} {
		if err := drivers.TurnDriver("n1", on); err != nil {
			t.Error(err)
		}
	}
	for len(lines("n1")) < 2 || len(lines("n2")[0]) == 0 {
		time.Sleep(time.Millisecond)
	}
	if args := lines("n2"); len(args) != 1 || !strings.HasPrefix(args[0], "driver --name=gpu.example.com --node=n2 --devices=0 --shared=false --kubelet-root=") ||
		!strings.Contains(args[0], "--fabric-name=fabric ") || !strings.Contains(args[0], "--fabric-rescan=1s") {
		t.Errorf("started as %q", args)
	}
	if at := drivers.DriverAsked("n1"); !at.IsZero() {
		t.Errorf("it has asked at %s", at)
	}
	if err := drivers.TurnDriver("n3", false); err == nil || !strings.Contains(err.Error(), `node "n3" has no driver`) {
		t.Errorf("got %v", err)
	}
}

func TestDriversOfAFabricThatBinds(t *testing.T) {
	f, err := startAs(t, t.TempDir(), spec.FabricConfig{Bind: true, Drivers: []string{"n"}, Rescan: time.Second, DriverUser: "u"})
	defer func() { _ = f.Stop() }()
	if err == nil || !strings.Contains(err.Error(), "cannot publish a fabric with bound slots") {
		t.Errorf("got %v", err)
	}
}

func TestFabricWithoutProgram(t *testing.T) {
	_, err := fabric.Fabrics{}.Start(t.Context(), t.TempDir(), spec.FabricConfig{Driver: "d", User: "u", DetachAfter: time.Minute})
	if err == nil || !strings.Contains(err.Error(), "no dra-composable-controller") {
		t.Errorf("got %v", err)
	}
	if _, err := (fabric.Fabrics{}).Start(t.Context(), t.TempDir(), spec.FabricConfig{}); err == nil || !strings.Contains(err.Error(), "must be given") {
		t.Errorf("got %v", err)
	}
}
