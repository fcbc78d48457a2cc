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

package debian

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/layer"
	"github.com/dra-conformance/dratest/clusters/progress"
)

// Rootfs is the root file system of a suite and a list of packages.
type Rootfs struct {
	// Suite is a Debian release. Nodes need bookworm: its systemd still boots on cgroup v1.
	Suite    string
	Packages []string
	// Remove are glob patterns of files to delete.
	Remove []string
	// Append adds lines to files.
	Append map[string]string
}

// Node is the root file system of node images. In addition to dependencies of the kubelet, containerd and kind's
// entrypoint it contains busybox for the pod image.
func Node() Rootfs {
	return Rootfs{
		Suite: "bookworm",
		Packages: strings.Fields(`systemd systemd-sysv dbus conntrack iptables nftables iproute2 ethtool util-linux mount kmod
			libseccomp2 pigz e2fsprogs bash ca-certificates curl jq procps runc containernetworking-plugins busybox`),
		Remove: strings.Fields(`
			usr/lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup.service
			usr/lib/systemd/system/multi-user.target.wants/*
			usr/lib/systemd/system/local-fs.target.wants/*
			usr/lib/systemd/system/sockets.target.wants/*udev*
			usr/lib/systemd/system/sockets.target.wants/*initctl*
			usr/lib/systemd/system/basic.target.wants/*
			etc/systemd/system/*.wants/*
			etc/hostname etc/resolv.conf etc/machine-id var/lib/dbus/machine-id
			usr/share/locale/* usr/share/man/* usr/share/info/* usr/share/doc/*/changelog* usr/share/doc/*/NEWS* usr/share/lintian/*
			var/cache/apt/* var/lib/apt/lists/* var/cache/debconf/*-old var/cache/ldconfig/* var/log/* dev/* run/* tmp/*`),
		// Keep the host's kernel messages out of a node's journal.
		Append: map[string]string{"etc/systemd/journald.conf": "ReadKMsg=no\n"},
	}
}

// needs is the space for an unpacked root file system beside its archive.
const needs = 2 * cache.GiB

// archives is the public package archive; DRATEST_DEBIAN_MIRROR replaces it.
const archives = "http://deb.debian.org/debian"

// Key identifies the result of the inputs. Debian's point releases are not part of it: a root file system is made
// once and kept.
func (r Rootfs) Key() string {
	hash := sha256.Sum256(fmt.Append(nil, r, runtime.GOARCH, script))
	return hex.EncodeToString(hash[:10])
}

// Path is the cached tar file of the root file system.
func (r Rootfs) Path(c cache.Cache) string { return c.Path("rootfs", r.Key()+".tar") }

// Build makes the root file system unless cached, and returns the path of its tar file. It needs root and
// debootstrap; the error wraps clusters.ErrEnvironment if they are missing.
func (r Rootfs) Build(ctx context.Context, c cache.Cache, p *progress.Printer) (string, error) {
	path := r.Path(c)
	if cache.Exists(path) {
		return path, nil
	}
	if os.Geteuid() != 0 {
		return "", fmt.Errorf("%w: making a node's root file system needs root: run the same command with sudo", clusters.ErrEnvironment)
	}
	const what = "make the root file system"
	err := p.Step(what+" of Debian packages", 70*time.Second, func() error {
		if err := cache.NeedSpace(c.Dir, needs, what); err != nil {
			return err
		}
		return cache.Explain(r.build(ctx, c, path), c.Dir, needs, what)
	})
	if err != nil {
		return "", fmt.Errorf("make the root file system: %w", err)
	}
	return path, nil
}

func (r Rootfs) build(ctx context.Context, c cache.Cache, path string) (err error) {
	temp, err := c.Temp("rootfs-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cache.RemoveAll(temp)) }()
	// Downloaded packages are kept for a retry.
	packages := c.Path("debs", r.Suite)
	if err := os.MkdirAll(packages, 0o755); err != nil {
		return fmt.Errorf("make the directory for packages: %w", err)
	}
	root, tarFile := filepath.Join(temp, "root"), filepath.Join(temp, "rootfs.tar")
	mirror := os.Getenv("DRATEST_DEBIAN_MIRROR")
	if mirror == "" {
		mirror = archives
	}
	_, err = command.Run(ctx, command.Cmd{Args: []string{
		"debootstrap", "--variant=minbase", "--arch=" + runtime.GOARCH, "--cache-dir=" + packages,
		"--include=" + strings.Join(r.Packages, ","), r.Suite, root, mirror,
	}})
	if command.NotFound(err) {
		return fmt.Errorf("%w: debootstrap is not installed: run \"dratest doctor --fix\"", clusters.ErrEnvironment)
	}
	if err != nil {
		return err
	}
	if err := r.trim(root); err != nil {
		return err
	}
	_, err = command.Run(ctx, command.Cmd{Args: append(append([]string{"tar"}, strings.Fields(script)...),
		fmt.Sprintf("--mtime=@%d", layer.Time().Unix()), "--directory="+root, "--file="+tarFile, ".")})
	if err != nil {
		return err
	}
	return c.Publish(tarFile, path)
}

// script turns the tree into a reproducible tar file.
const script = "--create --sort=name --numeric-owner --xattrs --xattrs-include=* --pax-option=delete=atime,delete=ctime"

// trim removes files a node must not have and files differing from run to run.
func (r Rootfs) trim(root string) error {
	for _, pattern := range r.Remove {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return fmt.Errorf("look for %s: %w", pattern, err)
		}
		for _, path := range found {
			if err := cache.RemoveAll(path); err != nil {
				return err
			}
		}
	}
	for name, lines := range r.Append {
		file, err := os.OpenFile(filepath.Join(root, name), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("change a file of the root file system: %w", err)
		}
		_, err = file.WriteString(lines)
		if err := errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("change %s: %w", name, err)
		}
	}
	return nil
}
