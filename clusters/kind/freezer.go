package kind

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// freezers is where cgroup v1 has the states of its freezer.
const freezers = "/sys/fs/cgroup/freezer"

// thaw wakes the frozen processes of containers, below root. On cgroup v1 a runc that
// was killed, or is slow, leaves a process of its own frozen; such a process cannot be
// killed, nor the container that it is in. Without that freezer nothing is done.
func thaw(root string, ids []string) error {
	var errs []error
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone meanwhile
		}
		if err != nil {
			return err
		}
		within := slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(path, id) })
		if entry.Name() != "freezer.state" || !within {
			return nil
		}
		if state, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(state)) != "THAWED" {
			errs = append(errs, os.WriteFile(path, []byte("THAWED"), 0o644))
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}
