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

package containermanager

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/cm/dra/state"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// stateOf returns a stock kubelet's checkpoint with one claim per name.
func stateOf(t *testing.T, claims ...string) string {
	t.Helper()
	var list state.ClaimInfoStateList
	for _, name := range claims {
		list = append(list, state.ClaimInfoState{ClaimName: name, Namespace: "default", ClaimUID: types.UID("uid of " + name)})
	}
	made, err := state.NewCheckpoint(list)
	if err != nil {
		t.Fatal(err)
	}
	content, err := made.MarshalCheckpoint()
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// startInner acts like the kubelet's DRA manager at creation.
func startInner(t *testing.T, folder string) (claims []string) {
	t.Helper()
	checkpointer, err := state.NewCheckpointer(folder, "dra_manager_state")
	if err != nil {
		t.Fatal(err)
	}
	read, err := checkpointer.GetOrCreate()
	if err != nil {
		t.Fatalf("the kubelet would not start: %v", err)
	}
	list, err := read.GetClaimInfoStateList()
	if err != nil {
		t.Fatal(err)
	}
	for _, claim := range list {
		claims = append(claims, claim.ClaimName)
	}
	return claims
}

func TestCheckpointIsHiddenAndPutBack(t *testing.T) {
	tests := []struct {
		name        string
		main, aside string   // content before the start, "" for no file
		want        []string // final claims
		corrupt     bool     // at the end
	}{
		{name: "first start"},
		{name: "restart", main: stateOf(t, "ours"), want: []string{"ours"}},
		{name: "restart without claims", main: stateOf(t)},
		{name: "killed before the kubelet's manager was made", aside: stateOf(t, "ours"), want: []string{"ours"}},
		{name: "killed after the kubelet's manager was made", main: stateOf(t), aside: stateOf(t, "ours"), want: []string{"ours"}},
		{name: "killed, then stock prepared a claim", main: stateOf(t, "stocks"), aside: stateOf(t, "ours"), want: []string{"ours", "stocks"}},
		{name: "killed, then stock prepared the same", main: stateOf(t, "ours"), aside: stateOf(t, "ours"), want: []string{"ours"}},
		{name: "killed, then stock left a torn file", main: `{"Data":`, aside: stateOf(t, "ours"), corrupt: true},
		{name: "killed, torn file aside", main: stateOf(t, "stocks"), aside: `{"Data":`, corrupt: true},
		{name: "killed, torn file aside, nothing newer", main: stateOf(t), aside: `{"Data":`, corrupt: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			file := newCheckpoint(folder)
			write(t, file.main, test.main)
			write(t, file.aside, test.aside)
			if err := file.putAside(t.Context()); err != nil {
				t.Fatal(err)
			}
			if claims := startInner(t, folder); len(claims) > 0 {
				t.Errorf("the kubelet's manager sees %v", claims)
			}
			if err := file.putBack(t.Context()); err != nil {
				t.Fatal(err)
			}
			if test.corrupt {
				if got := read(t, file.main); got != `{"Data":` {
					t.Errorf("the manager gets %s, which is only a part of the claims", got)
				}
				return
			}
			got := startInner(t, folder)
			if slices.Sort(got); !slices.Equal(got, test.want) {
				t.Errorf("claims are %v, want %v", got, test.want)
			}
			if files, _ := os.ReadDir(folder); len(files) != 1 {
				t.Errorf("left behind: %v", files)
			}
		})
	}
}

// On a node the manager never saw a removed checkpoint, unlike in its own tests: the kubelet's manager
// had written an empty one before. A kill in between makes no difference.
func TestRemovedCheckpointIsMissed(t *testing.T) {
	for name, tc := range map[string]struct{ pods, killed, missed bool }{
		"first start":        {false, false, false},
		"removed":            {true, false, true},
		"removed and killed": {true, true, true},
	} {
		folder := t.TempDir()
		if tc.pods {
			if err := os.MkdirAll(filepath.Join(folder, "pods", "uid"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		file := newCheckpoint(folder)
		if err := file.putAside(t.Context()); err != nil {
			t.Fatal(err)
		}
		startInner(t, folder)
		if tc.killed {
			file = newCheckpoint(folder)
			if err := file.putAside(t.Context()); err != nil {
				t.Fatal(err)
			}
			startInner(t, folder)
		}
		if err := file.putBack(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := nodeplan.Decode([]byte(read(t, file.main))); errors.Is(err, nodeplan.ErrCorrupt) != tc.missed {
			t.Errorf("%s: the manager reads %v", name, err)
		}
		if left, err := exists(file.aside); left || err != nil {
			t.Errorf("%s: a file is aside: %v", name, err)
		}
	}
}

// If the start fails before the kubelet has created its manager, the file must be back for the next
// kubelet.
func TestCheckpointIsPutBackAfterAFailedStart(t *testing.T) {
	file := newCheckpoint(t.TempDir())
	write(t, file.main, stateOf(t, "ours"))
	if err := file.putAside(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := file.putBack(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := read(t, file.main), stateOf(t, "ours"); got != want {
			t.Errorf("checkpoint is %s, want %s", got, want)
		}
	}
}

// Two kubelets on a node are a mistake, but must not lose either's claims.
func TestCheckpointOfAnotherKubeletIsNotOverwritten(t *testing.T) {
	file := newCheckpoint(t.TempDir())
	write(t, file.main, stateOf(t, "ours"))
	if err := file.putAside(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, file.main, stateOf(t, "theirs"))
	if err := file.putBack(t.Context()); err == nil || !strings.Contains(err.Error(), "another kubelet") {
		t.Errorf("error is %v", err)
	}
	if got := read(t, file.main); got != stateOf(t, "theirs") {
		t.Errorf("checkpoint is %s", got)
	}
}

// The manager decides about an unreadable file.
func TestCorruptCheckpointIsPutBack(t *testing.T) {
	file := newCheckpoint(t.TempDir())
	write(t, file.main, `{"Data":`)
	if err := file.putAside(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := file.putBack(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := read(t, file.main); got != `{"Data":` {
		t.Errorf("checkpoint is %s", got)
	}
}

// A newer kubelet ran in between. Its claims are unreadable and must not be lost.
func TestCheckpointOfAnotherVersionIsLeftAlone(t *testing.T) {
	data := `{"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v7"}`
	newer := fmt.Sprintf(`{"Data":%q,"Checksum":%d}`, data, crc32.ChecksumIEEE([]byte(data)))
	file := newCheckpoint(t.TempDir())
	write(t, file.main, newer)
	write(t, file.aside, stateOf(t, "ours"))
	if err := file.putAside(t.Context()); !errors.Is(err, nodeplan.ErrOtherVersion) {
		t.Errorf("error is %v", err)
	}
	if read(t, file.main) != newer || read(t, file.aside) != stateOf(t, "ours") {
		t.Error("a file was changed")
	}
}

func TestCheckpointCannotBePutAside(t *testing.T) {
	file := newCheckpoint(filepath.Join(t.TempDir(), "file"))
	write(t, filepath.Dir(file.main), "not a directory")
	if err := file.putAside(t.Context()); err == nil {
		t.Error("no error")
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if content == "" {
		return
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
