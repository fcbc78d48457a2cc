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

// RestartKubelet has the systemd of the node, whose root file system is root, restart
// the kubelet. It returns when the new one was started, before that can do anything.
func RestartKubelet(ctx context.Context, root string) error {
	if err := systemctl(ctx, root, "restart", "kubelet"); err != nil {
		return fmt.Errorf("restart the kubelet: %w", err)
	}
	return nil
}

// StopKubelet has the systemd of the node, whose root file system is root, stop the kubelet,
// and start it again after a time, also where ctx is over then. It returns when the new one was
// started, before that can do anything.
func StopKubelet(ctx context.Context, root string, down time.Duration) error {
	if err := systemctl(ctx, root, "stop", "kubelet"); err != nil {
		return fmt.Errorf("stop the kubelet: %w", err)
	}
	select {
	case <-time.After(down):
	case <-ctx.Done():
	}
	if err := systemctl(context.WithoutCancel(ctx), root, "start", "kubelet"); err != nil {
		return fmt.Errorf("start the kubelet: %w", err)
	}
	return nil
}

// RestartNode has the systemd of the node, whose root file system is root, end
// everything in order and restart the node. It returns before that is done.
func RestartNode(ctx context.Context, root string) error {
	if err := systemctl(ctx, root, "reboot"); err != nil {
		return fmt.Errorf("restart the node: %w", err)
	}
	return nil
}

func systemctl(ctx context.Context, root string, args ...string) error {
	const program = "/usr/bin/systemctl"
	if _, err := os.Stat(filepath.Join(root, program)); err != nil {
		return fmt.Errorf("the node has no systemctl: %w", err)
	}
	command := exec.CommandContext(ctx, program, args...)
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	command.Dir = "/"
	// A systemctl that thinks it is in a container's root does nothing.
	command.Env = []string{"SYSTEMD_IGNORE_CHROOT=1"}
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(output)))
	}
	return nil
}
