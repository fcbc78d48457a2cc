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

package spec

import "time"

// HookName names a command that does to a driver what only its vendor can.
type HookName string

// The hooks that cases run; each is a field of hooks in driver.yaml.
const (
	HookInstall       HookName = "install"
	HookUninstall     HookName = "uninstall"
	HookUpgrade       HookName = "upgrade"
	HookDowngrade     HookName = "downgrade"
	HookMakeUnhealthy HookName = "makeUnhealthy"
	HookHeal          HookName = "heal"
	HookInventory     HookName = "inventory"
	HookReboot        HookName = "reboot"
)

// What hooks have in their environment, beside KUBECONFIG.
const (
	// HookCluster is the name of a cluster that dratest has made.
	HookCluster = "DRATEST_CLUSTER"
	// HookVersion is the driver's version that is to run then.
	HookVersion = "DRATEST_VERSION"
	// HookNode, HookPool and HookDevice name the device that a hook is about.
	HookNode   = "DRATEST_NODE"
	HookPool   = "DRATEST_POOL"
	HookDevice = "DRATEST_DEVICE"
)

// Hook is such a command.
type Hook struct {
	// OnNode is whether it runs on the node that HookNode names, and else on the machine that
	// runs the cases.
	OnNode bool `json:"onNode,omitempty"`
	// Command is a program with its arguments, Environment is added to that of this process.
	Command     []string `json:"command"`
	Environment []string `json:"environment,omitempty"`
	// Timeout bounds it.
	Timeout time.Duration `json:"timeout"`
}

// DeviceTemplate says what devices of a node look like, as those who add nodes to a cluster
// have to know before there is one.
type DeviceTemplate struct {
	// Count is how many of them a node has.
	Count int `json:"count"`
	// Attributes and Capacity are those that are always the same, as in a ResourceSlice and
	// as texts; devices may have others.
	Attributes map[string]string `json:"attributes,omitempty"`
	Capacity   map[string]string `json:"capacity,omitempty"`
}
