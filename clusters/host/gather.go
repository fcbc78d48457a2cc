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
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/dra-conformance/dratest/clusters/host/capability"
)

// gather reads all facts. Unreadable facts stay unknown and are shown as such in the table.
func gather(ctx context.Context) facts {
	f := facts{OS: runtime.GOOS, Root: os.Geteuid() == 0}
	if f.OS == "linux" {
		release, err := os.ReadFile("/etc/os-release")
		f.Debian = err == nil && isDebian(string(release)) && found("apt-get") != ""
		f.Systemd = isDir("/run/systemd/system")
		f.Cgroup = cgroupVersion("/sys/fs/cgroup")
		f.Memory = availableMemory()
		f.Daemon = found("dockerd")
	}
	f.Debootstrap = found("debootstrap")
	f.Go = goVersion(ctx)
	f.Client = gatherClient(ctx)
	if f.Client.Version != "" && !f.Client.Podman {
		gatherEngine(ctx, &f)
	}
	local := f.OS == "linux" && f.Client.Elsewhere == ""
	if f.OS == "linux" {
		f.Missing = missingCapabilities(local && f.Engine.Version != "")
	}
	marker, err := readMarker(stateDir)
	f.Installed = local && err == nil && slices.Contains(marker.Packages, "docker.io")
	f.Disks = gatherDisks(f, local)
	return f
}

// isDebian reports whether os-release is Debian's or a derivative's.
func isDebian(release string) bool {
	for line := range strings.Lines(release) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if name != "ID" && name != "ID_LIKE" {
			continue
		}
		for id := range strings.FieldsSeq(strings.Trim(value, `"'`)) {
			if id == "debian" || id == "ubuntu" {
				return true
			}
		}
	}
	return false
}

// missingCapabilities reads the local engine's process if there is one, since dratest itself may run with fewer or
// more capabilities.
func missingCapabilities(engineRuns bool) []string {
	last, err := capability.Last()
	if err != nil {
		return nil
	}
	pid := "self"
	if text, err := os.ReadFile(theDaemon().PIDFile); engineRuns && err == nil {
		pid = strings.TrimSpace(string(text))
	}
	bounding, err := capability.Read(pid)
	if err != nil {
		if bounding, err = capability.Read("self"); err != nil {
			return nil
		}
	}
	return bounding.Missing(last)
}

// cgroupVersion returns the version mounted on dir: 2 for the unified hierarchy, 1 for separate controllers, 0 for
// neither.
func cgroupVersion(dir string) int {
	if _, err := os.Stat(filepath.Join(dir, "cgroup.controllers")); err == nil {
		return 2
	}
	if isDir(filepath.Join(dir, "memory")) || isDir(filepath.Join(dir, "cpu")) {
		return 1
	}
	return 0
}

func availableMemory() uint64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	return parseAvailable(string(text))
}

// parseAvailable returns MemAvailable of /proc/meminfo in bytes, 0 if missing.
func parseAvailable(meminfo string) uint64 {
	for line := range strings.Lines(meminfo) {
		if value, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			if err != nil {
				return 0
			}
			return kib * 1024
		}
	}
	return 0
}

func goVersion(ctx context.Context) string {
	if found("go") == "" {
		return ""
	}
	// Outside any module: the version of this go command, not of a toolchain it would switch to.
	version, err := ask(ctx, nil, "go", "-C", os.TempDir(), "env", "GOVERSION")
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(version, "go")
}

// gatherDisks returns the file systems filled by a build, each once.
func gatherDisks(f facts, local bool) []disk {
	var paths []string
	if local {
		dir := f.Engine.DataDir
		if dir == "" {
			dir = "/var/lib/docker"
		}
		paths = append(paths, dir)
	}
	if dir := os.Getenv("DRATEST_CACHE"); dir != "" {
		paths = append(paths, dir)
	} else if dir, err := os.UserCacheDir(); err == nil {
		paths = append(paths, filepath.Join(dir, "dratest"))
	}
	var disks []disk
	seen := map[unix.Fsid]bool{}
	for _, path := range paths {
		existing := path
		for !isDir(existing) && existing != filepath.Dir(existing) {
			existing = filepath.Dir(existing)
		}
		var stat unix.Statfs_t
		if err := unix.Statfs(existing, &stat); err != nil || seen[stat.Fsid] {
			continue
		}
		seen[stat.Fsid] = true
		//nolint:unconvert // the field types differ between systems
		disks = append(disks, disk{Path: path, Free: uint64(stat.Bavail) * uint64(stat.Bsize)})
	}
	return disks
}

// found returns the path of a program, including directories only root has in PATH.
func found(program string) string {
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	for _, dir := range []string{"/usr/local/sbin", "/usr/sbin", "/sbin"} {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path
		}
	}
	return ""
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
