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
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func run(ctx context.Context, out io.Writer, args ...string) error {
	cmd := newCommand()
	cmd.SetArgs(args)
	cmd.SetOut(out)
	return cmd.ExecuteContext(ctx)
}

func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "fabric.yaml")
	if err := os.WriteFile(config, []byte("models: [{name: a, cuont: 1}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no configuration": {[]string{"--config", filepath.Join(dir, "none")}, "read configuration"},
		"a typo":           {[]string{"--config", config}, `fabric.yaml: parse configuration: error unmarshaling JSON: while decoding JSON: json: unknown field "cuont"`},
		"an argument":      {[]string{"serve"}, "unknown command"},
	} {
		if err := run(t.Context(), io.Discard, test.args...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

// The certificate survives a restart, so that clients of the fabric still trust it.
func TestServesUntilTheEndOfTheContext(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "fabric.yaml")
	if err := os.WriteFile(config, []byte("{adminToken: a, clusters: [{name: c, token: b}]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	var first []byte
	for range 2 {
		port, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := port.Addr().String()
		if err := port.Close(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		in, out := io.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- run(ctx, out, "--config", config, "--dir", filepath.Join(dir, "state"), "--listen", address)
		}()
		line, err := bufio.NewReader(in).ReadString('\n')
		if err != nil || !strings.Contains(line, "serving https://"+address+" for 1 cluster(s)") {
			t.Fatalf("it says %q, %v", line, err)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		crt, err := os.ReadFile(filepath.Join(dir, "state", "ca.crt"))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = crt
		}
		if string(crt) != string(first) {
			t.Error("the second start made another certificate")
		}
	}
}
