package host

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// RestartKubelet has the systemd of the node, whose root file system is root, restart
// the kubelet. It returns when the new one was started, before that can do anything.
func RestartKubelet(ctx context.Context, root string) error {
	const program = "/usr/bin/systemctl"
	if _, err := os.Stat(filepath.Join(root, program)); err != nil {
		return fmt.Errorf("restart the kubelet: the node has no systemctl: %w", err)
	}
	command := exec.CommandContext(ctx, program, "restart", "kubelet")
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	command.Dir = "/"
	// A systemctl that thinks it is in a container's root does nothing.
	command.Env = []string{"SYSTEMD_IGNORE_CHROOT=1"}
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("restart the kubelet: %w: %s", err, strings.TrimSpace(string(output)))
	}
	return nil
}
