package containermanager

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// checkpoint is the file in which the kubelet keeps prepared claims. It is put aside
// while the kubelet makes its own DRA manager, which otherwise would read it, give up
// on its claims once a minute, and write it from memory. That manager finds nothing,
// writes an empty file and never writes again. Then the file is put back.
//
// A kill in between leaves it aside. The next putAside and putBack go on from there.
type checkpoint struct{ main, aside string }

func newCheckpoint(rootDirectory string) *checkpoint {
	main := filepath.Join(rootDirectory, "dra_manager_state")
	return &checkpoint{main: main, aside: main + ".aside"}
}

// putAside moves the file out of the kubelet's sight. If one is aside already, the
// one in place is empty, or Kubernetes' kubelet ran in between and its claims count.
func (c *checkpoint) putAside(ctx context.Context) error {
	logger := klog.FromContext(ctx)
	leftBehind, err := exists(c.aside)
	if err != nil {
		return err
	}
	if leftBehind && !c.hasClaims() {
		logger.Info("The DRA checkpoint is still aside from an earlier start", "path", c.aside)
		return ignoreNotExist(os.Remove(c.main))
	}
	if leftBehind {
		logger.Info("Another kubelet ran since the DRA checkpoint was put aside, its claims count", "path", c.main)
	}
	if err := os.Rename(c.main, c.aside); err != nil {
		return ignoreNotExist(err)
	}
	logger.Info("Put the DRA checkpoint aside", "path", c.aside)
	return nil
}

// putBack undoes putAside. It does nothing if no file is aside.
func (c *checkpoint) putBack(ctx context.Context) error {
	aside, err := exists(c.aside)
	if err != nil || !aside {
		return err
	}
	if c.hasClaims() {
		return fmt.Errorf("another kubelet wrote %s meanwhile", c.main)
	}
	if err := os.Rename(c.aside, c.main); err != nil {
		return err
	}
	klog.FromContext(ctx).Info("Put the DRA checkpoint back", "path", c.main)
	return nil
}

// hasClaims says whether the file in place has claims, as far as it can be read.
func (c *checkpoint) hasClaims() bool {
	content, err := os.ReadFile(c.main)
	if err != nil {
		return false
	}
	claims, err := nodeplan.Decode(content)
	return err == nil && len(claims) > 0
}

func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
