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

package kind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/host/capability"
)

// machine has the properties of the machine relevant to a cluster's configuration.
type machine struct {
	// CgroupV1: kubelets since v1.35 reject such a machine unless configured otherwise.
	CgroupV1 bool
	// NoSysResource: processes lack CAP_SYS_RESOURCE, so kubelets cannot lower oom_score_adj or raise limits.
	NoSysResource bool
	// Inotify is available for the nodes' watches.
	Inotify inotifyUsage
}

// Machine assumes the engine runs on this machine, with the capabilities of this process.
func (d docker) Machine(ctx context.Context) (machine, error) {
	version, err := d.client.Ask(ctx, "info", "--format", "{{.CgroupVersion}}")
	if err != nil {
		return machine{}, err
	}
	m := machine{CgroupV1: strings.TrimSpace(version) == "1"}
	if m.Inotify, err = readInotify("/proc"); err != nil {
		return machine{}, err
	}
	set, err := capability.Read("self")
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil // not Linux: the engine is in a virtual machine with everything
	}
	if err != nil {
		return machine{}, err
	}
	last, err := capability.Last()
	if err != nil {
		return machine{}, err
	}
	m.NoSysResource = slices.Contains(set.Missing(last), "CAP_SYS_RESOURCE")
	return m, nil
}

// Inotify instances per node, with some to spare: a control plane was seen to have 28, a worker 15.
const (
	inotifyControlPlane = 32
	inotifyWorker       = 18
)

// room checks for enough inotify instances. Without them kubelets fail with "too many open files" minutes into the
// creation.
func room(u inotifyUsage, workers int) error {
	need := inotifyControlPlane + workers*inotifyWorker
	if u.enough(need) {
		return nil
	}
	return fmt.Errorf("%w: the nodes need about %d inotify instances, %d of %d are taken: raise the limit with "+
		"\"sysctl -w fs.inotify.max_user_instances=1024\" as root, or delete another cluster", clusters.ErrEnvironment, need, u.Used, u.Limit)
}
