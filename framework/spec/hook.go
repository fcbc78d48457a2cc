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

// HookName names a vendor-specific command for a driver.
type HookName string

// Hooks used by cases; each is a field of hooks in driver.yaml.
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

// Environment variables of hooks, in addition to KUBECONFIG.
const (
	// HookCluster is the name of a cluster made by dratest.
	HookCluster = "DRATEST_CLUSTER"
	// HookVersion is the driver version to switch to.
	HookVersion = "DRATEST_VERSION"
	// HookNode, HookPool and HookDevice name the affected device.
	HookNode   = "DRATEST_NODE"
	HookPool   = "DRATEST_POOL"
	HookDevice = "DRATEST_DEVICE"
)

// Hook is such a command.
type Hook struct {
	// OnNode runs it on the node of HookNode instead of the machine running the cases.
	OnNode bool `json:"onNode,omitempty"`
	// Command is a program with its arguments, Environment is added to this process's environment.
	Command     []string `json:"command"`
	Environment []string `json:"environment,omitempty"`
	// Timeout bounds it.
	Timeout time.Duration `json:"timeout"`
}

// DeviceTemplate describes devices of a node, as needed by autoscalers before the node exists.
type DeviceTemplate struct {
	// Count is how many of them a node has.
	Count int `json:"count"`
	// Attributes and Capacity are the constant ones, as in a ResourceSlice and as texts; devices may have others.
	Attributes map[string]string `json:"attributes,omitempty"`
	Capacity   map[string]string `json:"capacity,omitempty"`
}
