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

package host

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestRealEngine starts a second dockerd with its own directories, kills it and restarts it. It needs
// root, dockerd and a built dratest-oci-runtime in $DRATEST_TEST_RUNTIME, and is skipped without this
// variable.
func TestRealEngine(t *testing.T) {
	wrapper := os.Getenv("DRATEST_TEST_RUNTIME")
	if wrapper == "" {
		t.Skip("set DRATEST_TEST_RUNTIME to the path of a built dratest-oci-runtime, as root")
	}
	ctx := t.Context()
	dir, err := os.MkdirTemp("", "dr") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	d := daemon{
		// In its own network namespace: with --bridge=none dockerd deletes docker0, and the machine's own engine needs it.
		Program: found("unshare"), Socket: filepath.Join(dir, "s"), PIDFile: filepath.Join(dir, "pid"),
		ExecRoot: filepath.Join(dir, "x"), Log: filepath.Join(dir, "log"), proc: "/proc",
	}
	d.Args = []string{
		"--net", found("dockerd"), "--data-root", filepath.Join(dir, "d"), "--exec-root", d.ExecRoot, "--pidfile", d.PIDFile, "--host", "unix://" + d.Socket,
		"--bridge=none", "--iptables=false", "--add-runtime", "dratest=" + wrapper, "--default-runtime", "dratest",
	}
	t.Cleanup(func() { cleanUpEngine(t, d, dir) })

	docker := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(ctx, "docker", append([]string{"--host", "unix://" + d.Socket}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("docker %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	start := func(what string) {
		t.Helper()
		began := time.Now()
		if err := d.start(ctx); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		t.Logf("%s: answers after %s", what, time.Since(began).Round(time.Millisecond))
	}

	start("fresh")
	t.Setenv("DOCKER_HOST", "unix://"+d.Socket)
	if got, cause := probe(ctx, "amd64"); got != works {
		t.Fatalf("privileged container: %v %s", got, cause)
	}
	if images := docker("image", "ls", "--quiet"); images != "" {
		t.Errorf("the probe left an image: %s", images)
	}
	start("running already")

	kill := func(pids ...int) {
		for _, pid := range pids {
			if pid <= 0 { // would be this test's own process group
				t.Fatal("no process to kill")
			}
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		for _, pid := range pids {
			for deadline := time.Now().Add(5 * time.Second); d.command(pid) != "" && time.Now().Before(deadline); {
				<-time.After(20 * time.Millisecond)
			}
		}
	}
	kill(readPID(d.PIDFile))
	start("dockerd killed")
	kill(append(d.containerds(), readPID(d.PIDFile))...)
	// Other programs have got the numbers since.
	self := []byte(strconv.Itoa(os.Getpid()))
	for _, file := range []string{d.PIDFile, filepath.Join(d.ExecRoot, "containerd", "containerd.pid")} {
		if err := os.WriteFile(file, self, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	start("both killed, numbers reused")
	if got, cause := probe(ctx, "amd64"); got != works {
		t.Fatalf("privileged container after restarts: %v %s", got, cause)
	}

	orphan := exec.Command(found("containerd"), "--config", filepath.Join(d.ExecRoot, "containerd", "containerd.toml"))
	kill(append(d.containerds(), readPID(d.PIDFile))...)
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- orphan.Wait() }()
	start("a containerd holds the data")
	if err := <-ended; err == nil {
		t.Error("the containerd that held the data ended by itself")
	}
}

func cleanUpEngine(t *testing.T, d daemon, dir string) {
	ctx := context.Background()
	if pid := d.running(); pid != 0 {
		if err := d.end(ctx, pid); err != nil {
			t.Error(err)
		}
	}
	if err := d.endContainerd(ctx); err != nil {
		t.Error(err)
	}
	_, _ = exec.CommandContext(ctx, "umount", "--recursive", filepath.Join(dir, "x", "netns"), filepath.Join(dir, "d")).CombinedOutput()
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}
