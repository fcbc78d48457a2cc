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
)

// RestartKubelet restarts the kubelet through the systemd of the node with its root file system at root. It returns
// when the new one was started, before it can do anything.
func RestartKubelet(ctx context.Context, root string) error {
	if err := systemd(ctx, root, "systemctl", "restart", "kubelet"); err != nil {
		return fmt.Errorf("restart the kubelet: %w", err)
	}
	return nil
}

// StopKubelet stops the kubelet through the systemd of the node with its root file system at root, and schedules its
// start after a time, whatever happens to the caller. It returns when the kubelet is stopped.
func StopKubelet(ctx context.Context, root string, down time.Duration) error {
	// First: otherwise the kubelet could stay down.
	err := systemd(ctx, root, "systemd-run", "--collect", "--on-active="+down.String(), "--timer-property=AccuracySec=100ms", "systemctl", "start", "kubelet")
	if err != nil {
		return fmt.Errorf("have the kubelet started later: %w", err)
	}
	if err := systemd(ctx, root, "systemctl", "stop", "kubelet"); err != nil {
		return fmt.Errorf("stop the kubelet: %w", err)
	}
	return nil
}

// RestartNode reboots the node with its root file system at root in order, through its systemd. It returns before
// that is done.
func RestartNode(ctx context.Context, root string) error {
	if err := systemd(ctx, root, "systemctl", "reboot"); err != nil {
		return fmt.Errorf("restart the node: %w", err)
	}
	return nil
}

func systemd(ctx context.Context, root, name string, args ...string) error {
	program := "/usr/bin/" + name
	if _, err := os.Stat(filepath.Join(root, program)); err != nil {
		return fmt.Errorf("the node has no %s: %w", name, err)
	}
	command := exec.CommandContext(ctx, program, args...)
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	command.Dir = "/"
	// In a chroot, systemctl does nothing by default.
	command.Env = []string{"SYSTEMD_IGNORE_CHROOT=1"}
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(output)))
	}
	return nil
}
