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

package kubelet_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/implementation/kubelet"
	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// TestLostCheckpoint corrupts the file in various ways while a pod runs. The state is rebuilt from
// the API server, containers get their devices, claims are unprepared.
func TestLostCheckpoint(t *testing.T) {
	for name, spoil := range map[string]func([]byte) []byte{
		"empty":          func([]byte) []byte { return nil },
		"truncated":      func(file []byte) []byte { return file[:len(file)/2] },
		"wrong checksum": func(file []byte) []byte { return bytes.Replace(file, []byte("class=c"), []byte("class=d"), 1) },
		"no JSON":        func([]byte) []byte { return []byte("\x00\x00\x00\x00") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a := w.driver("a")
			p := pod("p", "c")
			w.reserve(claim("c", "a"), p)
			w.prepare(p)
			corrupted := spoil(w.file())
			w.write(w.path(), corrupted)
			a.seen()

			w.setReady(false)
			w.restart(a)
			if !w.manager.MightNeedToUnprepare("q") {
				t.Error("nobody knows what a pod needs")
			}
			w.refused(pod("q", "c"), "ResourceClaim state was lost: ")
			// All others may depend on a pod without claims: the API server.
			w.prepare(pod("static"))
			w.unprepare(pod("static"))
			w.setReady(true)
			w.equal("devices", w.devices(p), "a/class=c")
			w.equal("calls", a.seen(), "+c")
			w.equal("checkpoint", w.saved(), "c=p")
			if kept, err := os.ReadFile(w.path() + ".corrupt"); err != nil || !bytes.Equal(kept, corrupted) {
				t.Errorf("corrupt file is not kept: %q, %v", kept, err)
			}
			w.unprepare(p)
			w.equal("calls", a.seen(), "-c")
			if w.manager.MightNeedToUnprepare("q") {
				t.Error("all is known now")
			}
		})
	}
}

func (w *world) write(path string, content []byte) {
	w.t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) losesCheckpoint(drivers ...*driver) {
	w.t.Helper()
	w.write(w.path(), []byte("{"))
	w.setReady(false)
	w.restart(drivers...)
	w.setReady(true)
}

// Rebuilding the state requires the claims from the API server.
func TestLostCheckpointAndAPIServerAway(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.prepare(p)
	w.away(true)
	w.losesCheckpoint(a)
	const lost = "ResourceClaim state was lost: "
	w.fails(w.manager.Unprepare(w.ctx, p), "unprepare dynamic resources: "+lost)
	_, err := w.manager.ContainerCDIDevices(w.ctx, p, &p.Spec.Containers[0])
	w.fails(err, lost)
	w.equal("file", string(w.file()), "{")
	w.blockWrites()
	w.away(false)
	w.fails(w.manager.Unprepare(w.ctx, p), "unprepare dynamic resources: checkpoint ResourceClaim state: ")
	w.unblockWrites()
	w.unprepare(p)
	w.equal("calls", a.seen(), "+c, -c")
}

// blockWrites makes the checkpoint unwritable, even for root.
func (w *world) blockWrites() {
	w.t.Helper()
	if err := os.Mkdir(w.path()+".tmp", 0o700); err != nil {
		w.t.Fatal(err)
	}
	// A directory with content cannot be removed by mistake.
	w.write(filepath.Join(w.path()+".tmp", "x"), nil)
}

func (w *world) unblockWrites() {
	w.t.Helper()
	if err := os.RemoveAll(w.path() + ".tmp"); err != nil {
		w.t.Fatal(err)
	}
}

func TestCheckpointCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.blockWrites()
	w.refused(p, "checkpoint ResourceClaim state: open ")
	w.equal("no call without a checkpoint", a.seen(), "")
	w.unblockWrites()
	w.prepare(p)
	w.blockWrites()
	w.fails(w.manager.Unprepare(w.ctx, p), "unprepare dynamic resources: checkpoint ResourceClaim state: open ")
	if !w.manager.MightNeedToUnprepare("p") {
		t.Error("pod still is in the checkpoint")
	}
	w.unblockWrites()
	w.unprepare(p)
	w.equal("calls", a.seen(), "+c, -c")
}

// A newer kubelet's file is left alone.
func TestCheckpointOfAnotherVersion(t *testing.T) {
	w := newWorld(t)
	w.cancel()
	const data = `{"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v2"}`
	file := fmt.Sprintf(`{"Data":%q,"Checksum":%d}`, data, crc32.ChecksumIEEE([]byte(data)))
	w.write(w.path(), []byte(file))
	_, err := kubelet.New(w.ctx, w.config())
	if !errors.Is(err, nodeplan.ErrOtherVersion) {
		t.Errorf("unexpected error: %v", err)
	}
	w.equal("file", string(w.file()), file)
}

func TestCheckpointCannotBeRead(t *testing.T) {
	w := newWorld(t)
	w.cancel()
	if err := os.Mkdir(w.path(), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := kubelet.New(w.ctx, w.config())
	w.fails(err, "read ResourceClaim state: ")
	_, err = kubelet.New(w.ctx, kubelet.Config{})
	w.fails(err, "no state directory")
}

// A temporary file left by a crash during a write does no harm.
func TestKilledDuringWrite(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.prepare(p)
	w.stop()
	w.write(w.path()+".tmp", []byte(`{"Data":"{\"ki`+strings.Repeat("x", 10_000)))
	w.restart(a)
	w.equal("devices", w.devices(p), "a/class=c")
	w.unprepare(p)
	w.equal("calls", a.seen(), "+c, -c")
}
