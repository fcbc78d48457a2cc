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
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
)

// packages returns the packages apt-get must install to run and build clusters; nil if none are missing or apt-get
// cannot help.
func packages(f facts) []string {
	if !f.Debian || !f.Root {
		return nil
	}
	var names []string
	if judgeEngine(f).Fixable {
		if f.Daemon == "" {
			names = append(names, "docker.io")
		}
		if f.Client.Version == "" {
			names = append(names, "docker-cli") // in docker.io until Debian 12
		}
	}
	if f.Debootstrap == "" {
		// Ubuntu's debootstrap lacks the keys of Debian's archive.
		names = append(names, "debootstrap", "debian-archive-keyring", "gpgv")
	}
	return names
}

// installPackages installs the packages with apt-get, logging its output, and returns the names available on this
// system.
func installPackages(ctx context.Context, p *progress.Printer, names []string) ([]string, error) {
	apt := aptGet{log: filepath.Join(stateDir, "apt-get.log")}
	if err := os.MkdirAll(stateDir, 0o755); err != nil {
		return nil, fmt.Errorf("install packages: %w", err)
	}
	if err := os.WriteFile(apt.log, nil, 0o600); err != nil {
		return nil, fmt.Errorf("install packages: %w", err)
	}
	// One broken source makes the update fail; the packages may be known all the same.
	updateErr := p.Step("apt-get update", 10*time.Second, func() error { return apt.run(ctx, "update") })
	if ctx.Err() != nil {
		return nil, updateErr
	}
	names = available(ctx, names)
	err := p.Step("apt-get install "+strings.Join(names, " "), 45*time.Second, func() error {
		return apt.run(ctx, append([]string{"install", "--yes", "--no-install-recommends"}, names...)...)
	})
	if err != nil && updateErr != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%w (before that: %w)", err, updateErr)
	}
	return names, err
}

// available omits docker-cli on Debian releases shipping it in docker.io.
func available(ctx context.Context, names []string) []string {
	var known []string
	for _, name := range names {
		if name == "docker-cli" {
			if _, err := ask(ctx, nil, "apt-cache", "show", name); err != nil {
				continue
			}
		}
		known = append(known, name)
	}
	return known
}

type aptGet struct{ log string }

// run runs apt-get non-interactively and waits for its lock.
func (a aptGet) run(ctx context.Context, args ...string) error {
	log, err := os.OpenFile(a.log, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("run apt-get: %w", err)
	}
	defer func() { _ = log.Close() }()
	// Keep existing configuration files of an earlier package or the machine's owner; otherwise dpkg would ask and fail.
	options := []string{"-o", "DPkg::Lock::Timeout=120", "-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold"}
	cmd := exec.CommandContext(ctx, "apt-get", append(options, args...)...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "NEEDRESTART_SUSPEND=1", "LC_ALL=C")
	cmd.Stdout, cmd.Stderr = log, log
	// A half-configured package is worse than a late reaction to Ctrl-C: when interrupted, apt-get exits after the
	// current package.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	err = cmd.Run()
	if ctx.Err() != nil {
		return fmt.Errorf("run apt-get %s: %w", args[0], context.Cause(ctx))
	}
	if err != nil {
		text, _ := os.ReadFile(a.log)
		return fmt.Errorf("%w: apt-get %s: %w; %s ends with:\n%s", clusters.ErrEnvironment, args[0], err, a.log, lastLines(string(text), 5))
	}
	return nil
}
