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
	"fmt"
	"os"
	"path/filepath"
)

// checkpoint is the kubelet's file of prepared claims, in its root directory (k8s.io/kubernetes v1.37.1,
// pkg/kubelet/cm/dra/manager.go).
const checkpoint = "dra_manager_state"

// LoseCheckpoint stops the kubelet of the node with its root file system at root, removes the claim checkpoint from
// its root directory, as a lost disk does, and starts it again. It returns when the new one was started, before it
// can do anything. A missing checkpoint is an error.
func LoseCheckpoint(ctx context.Context, root, kubeletRoot string) error {
	if err := systemd(ctx, root, "systemctl", "stop", "kubelet"); err != nil {
		return fmt.Errorf("stop the kubelet: %w", err)
	}
	lost := os.Remove(filepath.Join(root, kubeletRoot, checkpoint))
	if err := errors.Join(lost, systemd(ctx, root, "systemctl", "start", "kubelet")); err != nil {
		return fmt.Errorf("lose the kubelet's checkpoint: %w", err)
	}
	return nil
}
