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

package images

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/images/layer"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// kind's module holds the files of a node image: entrypoint, units, containerd's configuration. Version and sum are
// those of our go.mod and go.sum (a test compares them); here they pin the files on any machine.
const (
	kindModule  = "sigs.k8s.io/kind"
	kindVersion = "v0.33.0"
	kindSum     = "h1:AjvDv3vOygb/VKLVQW87lfktIBzkxR8Ump9DjxC8+Lk="
)

// edit changes one of kind's files; an edit without a match is an error, since it was written for another version of
// the file.
type edit struct {
	file string
	old  *regexp.Regexp
	new  string
}

func (e edit) String() string { return fmt.Sprintf("%s %s %q", e.file, e.old, e.new) }

// edits returns the edits for a version and a machine. A restricted machine lacks CAP_SYS_RESOURCE: processes cannot
// lower OOM scores or raise limits.
func edits(v versions.Version, restricted bool) []edit {
	const config, unit = "etc/containerd/config.toml", "etc/systemd/system/containerd.service"
	all := []edit{
		{config, regexp.MustCompile(`registry\.k8s\.io/pause:[^"]+`), pauseImage(v)},
	}
	if restricted {
		all = append(all,
			edit{config, regexp.MustCompile(`restrict_oom_score_adj = false`), `restrict_oom_score_adj = true`},
			edit{unit, regexp.MustCompile(`(?m)^(OOMScoreAdjust|Limit(NOFILE|NPROC|CORE))=.*\n`), ""},
		)
	}
	return all
}

// downloadKind downloads kind's module with the go command and returns its directory.
func downloadKind(ctx context.Context, workDir string) (string, error) {
	out, err := command.Run(ctx, command.Cmd{
		Args: []string{"go", "mod", "download", "-json", kindModule + "@" + kindVersion},
		Dir:  workDir, Env: []string{"GOWORK=off"},
	})
	if err != nil {
		return "", fmt.Errorf("download kind's files: %w", err)
	}
	var module struct{ Dir, Sum string }
	if err := json.Unmarshal([]byte(out), &module); err != nil {
		return "", fmt.Errorf("download kind's files: read the answer: %w", err)
	}
	if module.Sum != kindSum {
		return "", fmt.Errorf("download kind's files: checksum of %s@%s is %s, want %s", kindModule, kindVersion, module.Sum, kindSum)
	}
	return filepath.Join(module.Dir, "images", "base", "files"), nil
}

// kindFiles reads kind's files and applies the edits. Modules have no file modes: like kind's own build, it makes the
// files of certain directories executable.
func kindFiles(files fs.FS, changes []edit) ([]layer.Entry, error) {
	entries := []layer.Entry{}
	used := map[int]bool{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		for i, e := range changes {
			if e.file == name && e.old.Match(data) {
				data = e.old.ReplaceAll(data, []byte(e.new))
				used[i] = true
			}
		}
		entry := layer.Entry{Path: name, Data: data, Mode: 0o644}
		if path.Base(path.Dir(name)) == "bin" {
			entry.Mode = 0o755
		}
		entries = append(entries, entry)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read kind's files: %w", err)
	}
	for i, e := range changes {
		if !used[i] {
			return nil, fmt.Errorf("change kind's file %s: nothing there matches %q", e.file, e.old)
		}
	}
	return entries, nil
}

// containerSpec returns containerd's base OCI spec: ctr's default without limits, plus kind's hook hiding the host's
// product files, as in kind's own build.
func containerSpec(ctx context.Context, ctr string) (layer.Entry, error) {
	out, err := command.Run(ctx, command.Cmd{Args: []string{ctr, "oci", "spec"}})
	if err != nil {
		return layer.Entry{}, fmt.Errorf("make the base container spec: %w", err)
	}
	data, err := withHook([]byte(out))
	return layer.Entry{Path: "etc/containerd/cri-base.json", Data: data}, err
}

func withHook(spec []byte) ([]byte, error) {
	var tree map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(spec)))
	decoder.UseNumber() // sizes and device numbers pass through unchanged
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("read ctr's container spec: %w", err)
	}
	if process, ok := tree["process"].(map[string]any); ok {
		delete(process, "rlimits")
	}
	hooks, ok := tree["hooks"].(map[string]any)
	if !ok {
		hooks = map[string]any{}
		tree["hooks"] = hooks
	}
	present, _ := hooks["createContainer"].([]any)
	hooks["createContainer"] = append(present, map[string]any{"path": "/kind/bin/mount-product-files.sh"})
	data, err := json.MarshalIndent(tree, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the base container spec: %w", err)
	}
	return append(data, '\n'), nil
}

// unitEntries enable and mask units, as systemctl would.
func unitEntries() []layer.Entry {
	const dir = "etc/systemd/system/"
	entries := []layer.Entry{{Path: dir + "systemd-binfmt.service", Link: "/dev/null"}} // would register with the host's kernel
	for _, unit := range []string{"containerd.service", "kubelet.service", "undo-mount-hacks.service"} {
		entries = append(entries, layer.Entry{Path: dir + "multi-user.target.wants/" + unit, Link: "/" + dir + unit})
	}
	return entries
}

// cniEntries links the CNI plugins of Debian's package where containerd expects them.
func cniEntries() []layer.Entry {
	var entries []layer.Entry
	for _, plugin := range []string{"bridge", "host-local", "loopback", "portmap", "ptp"} {
		entries = append(entries, layer.Entry{Path: "opt/cni/bin/" + plugin, Link: "/usr/lib/cni/" + plugin})
	}
	return entries
}

// Restricted reports whether this machine lacks CAP_SYS_RESOURCE even for root, so nodes must not use it.
func Restricted() bool {
	status, err := os.ReadFile("/proc/self/status")
	return err == nil && lacksSysResource(string(status))
}

func lacksSysResource(status string) bool {
	const capSysResource = 24
	for line := range strings.Lines(status) {
		var set uint64
		if n, _ := fmt.Sscanf(line, "CapBnd: %x", &set); n == 1 {
			return set&(1<<capSysResource) == 0
		}
	}
	return false
}
