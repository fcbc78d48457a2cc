package containermanager

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// whileLocked calls f while it holds the lock of --lock-file, if there is one: a
// kubelet that still runs keeps its files. The lock is free again when it returns, and
// the kubelet takes it once more.
func whileLocked(path string, f func() error) error {
	if path == "" {
		return f()
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	return f()
}
