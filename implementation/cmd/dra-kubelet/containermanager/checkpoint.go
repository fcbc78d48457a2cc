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

package containermanager

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// checkpoint is the kubelet's file of prepared claims. It is moved aside while the kubelet creates its
// own DRA manager. That would read the file, give up on its claims once a minute, and overwrite it
// from memory. Without a file it writes an empty one once. Then the original is moved back.
//
// A kill in between leaves the file aside. A stock kubelet started then does not know its claims. The
// next putAside adds the claims prepared by that kubelet.
//
// If the node has pods and the file was removed, an empty one is put aside instead: the manager
// recovers from a corrupt checkpoint, but would believe a missing one to mean no claims.
type checkpoint struct{ main, aside string }

func newCheckpoint(rootDirectory string) *checkpoint {
	main := filepath.Join(rootDirectory, nodeplan.CheckpointFile)
	return &checkpoint{main: main, aside: main + ".aside"}
}

// putAside hides the file from the kubelet.
func (c *checkpoint) putAside(ctx context.Context) error {
	leftBehind, err := exists(c.aside)
	if err != nil {
		return err
	}
	if leftBehind {
		klog.FromContext(ctx).Info("The DRA checkpoint is still aside from an earlier start", "path", c.aside)
		if err := c.addNewer(ctx); err != nil {
			return err
		}
		return ignoreNotExist(os.Remove(c.main))
	}
	err = os.Rename(c.main, c.aside)
	if errors.Is(err, fs.ErrNotExist) {
		return c.markRemoved(ctx)
	}
	if err != nil {
		return err
	}
	klog.FromContext(ctx).Info("Put the DRA checkpoint aside", "path", c.aside)
	return nil
}

// markRemoved puts an empty file aside if the node has pods: each kubelet creates a checkpoint before
// its first pod.
func (c *checkpoint) markRemoved(ctx context.Context) error {
	pods, err := os.ReadDir(filepath.Join(filepath.Dir(c.main), "pods"))
	if err != nil || len(pods) == 0 {
		return ignoreNotExist(err)
	}
	klog.FromContext(ctx).Info("The DRA checkpoint was removed, although the node has pods", "path", c.main)
	return os.WriteFile(c.aside, nil, 0o600)
}

// addNewer adds the claims of the file in place to the file aside and replaces claims of the same
// name. Claims unprepared by another kubelet in between are unprepared again, the lesser evil. A
// corrupt file becomes the file aside, so the manager recovers all claims of existing pods.
func (c *checkpoint) addNewer(ctx context.Context) error {
	newer, err := claimsOf(c.main)
	if errors.Is(err, nodeplan.ErrCorrupt) {
		klog.FromContext(ctx).Error(err, "Another kubelet has left a DRA checkpoint that cannot be read", "path", c.main)
		return os.Rename(c.main, c.aside)
	}
	if err != nil || len(newer) == 0 {
		return err
	}
	older, err := claimsOf(c.aside)
	if errors.Is(err, nodeplan.ErrCorrupt) {
		return nil
	}
	if err != nil {
		return err
	}
	older = slices.DeleteFunc(older, func(old nodeplan.ClaimInfo) bool {
		return slices.ContainsFunc(newer, func(n nodeplan.ClaimInfo) bool { return n.Ref().ClaimID == old.Ref().ClaimID })
	})
	content, err := nodeplan.Encode(slices.Concat(older, newer))
	if err != nil {
		return err
	}
	klog.FromContext(ctx).Info("Another kubelet ran meanwhile, adding its claims", "path", c.main, "claims", len(newer))
	temporary := c.aside + ".tmp"
	if err := os.WriteFile(temporary, content, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, c.aside)
}

// putBack undoes putAside. It does nothing if no file is aside.
func (c *checkpoint) putBack(ctx context.Context) error {
	aside, err := exists(c.aside)
	if err != nil || !aside {
		return err
	}
	claims, err := claimsOf(c.main)
	switch {
	case err != nil && !errors.Is(err, nodeplan.ErrCorrupt):
		return err
	case len(claims) > 0:
		return fmt.Errorf("another kubelet wrote %s meanwhile", c.main)
	}
	if err := os.Rename(c.aside, c.main); err != nil {
		return err
	}
	klog.FromContext(ctx).Info("Put the DRA checkpoint back", "path", c.main)
	return nil
}

// claimsOf returns the claims in a file, none if it does not exist.
func claimsOf(path string) ([]nodeplan.ClaimInfo, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, ignoreNotExist(err)
	}
	claims, err := nodeplan.Decode(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return claims, nil
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
