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

package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
)

// maxFile is the maximum size of a log or file, in bytes.
const maxFile = 2 << 20

// Node says where things are on a node.
type Node struct {
	// Root is the path of the node's root file system.
	Root string
	// KubeletRoot is the kubelet's root directory on the node.
	KubeletRoot string
	// CDI are the directories of CDI specs.
	CDI nodefiles.CDIDirs
}

// Collect returns files by descriptive names, CDI specs as cdi/etc/cdi/x.json; logs start at since and are truncated
// at the beginning. A checkpoint is empty if the kubelet has not written one yet. cdi-files lists the CDI specs, and
// is present only if all were read completely; a truncated list of files below plugins is plugins.cut. The strings
// are read errors.
func Collect(ctx context.Context, node Node, since time.Time) (files map[string][]byte, missing []string) {
	files = map[string][]byte{}
	add := func(name string, content []byte, err error) {
		if err != nil {
			missing = append(missing, text(fmt.Sprintf("%s: %v", name, err)))
		}
		if len(content) > 0 || err == nil {
			files[text(name)] = content
		}
	}
	for _, unit := range []string{"kubelet", "containerd"} {
		content, err := journal(ctx, node.Root, unit, since, &tail{limit: maxFile})
		add(unit+".log", content, err)
	}
	kubelet := filepath.Join(node.Root, node.KubeletRoot)
	content, err := read(filepath.Join(kubelet, "dra_manager_state"))
	if errors.Is(err, fs.ErrNotExist) && isKubelets(kubelet) {
		content, err = nil, nil // a kubelet without prepared claims has no file
	}
	add("dra_manager_state", content, err)
	// The kubelet writes it only for drivers reporting health.
	if content, err = read(filepath.Join(kubelet, "dra_health_state")); !errors.Is(err, fs.ErrNotExist) {
		add("dra_health_state", content, err)
	}
	var list []string
	whole := true
	for _, dir := range node.CDI {
		specs, err := nodefiles.CDIDirs{dir}.Read()
		if err != nil {
			missing = append(missing, text(fmt.Sprintf("cdi%s: %v", dir.Path, err)))
			whole = false
		}
		for path, content := range specs {
			add("cdi"+path, content[:min(len(content), maxFile)], nil)
			list, whole = append(list, path), whole && len(content) <= maxFile
		}
	}
	if whole {
		slices.Sort(list)
		add("cdi-files", []byte(strings.Join(list, "\n")), nil)
	}
	content, err = below(kubelet, func(entry fs.DirEntry) bool { return entry.Type()&fs.ModeSocket != 0 })
	add("sockets", content, err)
	content, err = below(kubelet, func(entry fs.DirEntry) bool { return entry.Type()&fs.ModeSocket == 0 })
	name := "plugins"
	if len(content) > maxFile {
		name, content, err = "plugins.cut", content[:maxFile], errors.New("the list of files is too long")
	}
	add(name, content, err)
	return files, missing
}

// text is s as valid UTF-8 for messages: file names may be any bytes.
func text(s string) string { return strings.ToValidUTF8(s, "?") }

// isKubelets reports whether a kubelet uses a directory as its root: agents create plugin directories in any, but
// only kubelets the one for pods.
func isKubelets(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, "pods"))
	return err == nil && info.IsDir()
}

// read returns the first maxFile bytes of a file.
func read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(file, maxFile))
	_ = file.Close()
	return content, err
}

// below lists the plugins' files in the registration and plugin directories, without those directories themselves.
func below(kubelet string, is func(fs.DirEntry) bool) ([]byte, error) {
	var list strings.Builder
	for _, dir := range []string{"plugins_registry", "plugins"} {
		err := filepath.WalkDir(filepath.Join(kubelet, dir), func(path string, entry fs.DirEntry, err error) error {
			if name := strings.TrimPrefix(path, kubelet+"/"); err == nil && name != dir && is(entry) {
				fmt.Fprintln(&list, name)
			}
			// Directories come and go with their drivers.
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return []byte(list.String()), nil
}

// KubeletLines returns the kubelet's log lines since then with a text, the last two MiB of them.
func KubeletLines(ctx context.Context, root string, since time.Time, text string) ([]byte, error) {
	return journal(ctx, root, "kubelet", since, &lines{with: []byte(text), to: &tail{limit: maxFile}})
}

// sink keeps a part of the data written to it.
type sink interface {
	io.Writer
	Bytes() []byte
}

// journal runs the node's own journalctl, since the journal's format belongs to the node's systemd.
func journal(ctx context.Context, root, unit string, since time.Time, out sink) ([]byte, error) {
	const program = "/usr/bin/journalctl"
	if _, err := os.Stat(filepath.Join(root, program)); err != nil {
		return nil, fmt.Errorf("the node has no journalctl: %w", err)
	}
	args := []string{"--unit", unit, "--no-pager", "--output", "short-iso-precise"}
	if !since.IsZero() {
		args = append(args, "--since", fmt.Sprintf("@%d", since.Unix()))
	}
	var problem bytes.Buffer
	// The context ends the process; the path is inside of the new root.
	command := exec.CommandContext(ctx, program, args...)
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	command.Dir = "/"
	command.Stdout, command.Stderr = out, &problem
	if err := command.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("run journalctl: %w: %s", err, strings.TrimSpace(problem.String()))
	}
	return out.Bytes(), nil
}
