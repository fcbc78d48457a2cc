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

package sim

import (
	"errors"
	"path/filepath"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
)

// Config says where an agent runs.
type Config struct {
	// NodeName is the node's name, NodeUID the UID of its Node object, the owner of slices.
	NodeName string
	NodeUID  types.UID
	// KubeletRoot is the kubelet's root directory; empty means /var/lib/kubelet. It must have the same path inside and
	// outside of the agent's container.
	KubeletRoot string
	// CDIDir is the directory of CDI specs; empty means /var/run/cdi.
	CDIDir string
	// HostRoot is the path of the node's root file system; empty means /proc/1/root.
	HostRoot string
	// Client must be allowed to write ResourceSlices, to watch ResourceClaims and to write device status of claims
	// allocated to this node.
	Client kubernetes.Interface
	// REST is Client's configuration; nil if drivers have no clients of their own.
	REST *rest.Config
}

func (c Config) withDefaults() Config {
	if c.KubeletRoot == "" {
		c.KubeletRoot = "/var/lib/kubelet"
	}
	if c.CDIDir == "" {
		c.CDIDir = nodefiles.CDIDynamic
	}
	if c.HostRoot == "" {
		c.HostRoot = "/proc/1/root"
	}
	return c
}

// Validate returns all problems at once.
func (c Config) Validate() error {
	var errs []error
	if c.NodeName == "" {
		errs = append(errs, errors.New("the node's name is missing"))
	}
	if c.Client == nil {
		errs = append(errs, errors.New("the client is missing"))
	}
	return errors.Join(errs...)
}

func (c Config) registryDir() string { return filepath.Join(c.KubeletRoot, "plugins_registry") }

func (c Config) devicePluginDir() string { return filepath.Join(c.KubeletRoot, "device-plugins") }

// podResources is the socket of the kubelet's podresources API, reached through the node's root file system, since it
// may not exist yet when mounts are made.
func (c Config) podResources() string {
	return filepath.Join(c.HostRoot, c.KubeletRoot, "pod-resources", "kubelet.sock")
}

func (c Config) pluginDir(driver string) string {
	return filepath.Join(c.KubeletRoot, "plugins", driver)
}

// cdiDirs are the default directories of container runtimes; the static one is not in the agent's container.
func (c Config) cdiDirs() nodefiles.CDIDirs {
	return nodefiles.CDIDirs{{Path: nodefiles.CDIStatic, Seen: filepath.Join(c.HostRoot, nodefiles.CDIStatic)}, {Path: c.CDIDir, Seen: c.CDIDir}}
}
