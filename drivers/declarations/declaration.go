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

package declarations

import (
	"encoding/json"
	"fmt"
	"time"
)

// APIVersion and Kind are the first lines of driver.yaml. Files without them are older: Parse converts them.
const (
	APIVersion = "dra-conformance.github.io/v1alpha1"
	Kind       = "DriverDeclaration"
)

// Declaration is the content of driver.yaml. Fields tagged since are unknown in files without apiVersion, fields tagged
// until have another name in files with it.
type Declaration struct {
	APIVersion string `yaml:"apiVersion" jsonschema:"required,enum=dra-conformance.github.io/v1alpha1"`
	Kind       string `yaml:"kind" jsonschema:"required,enum=DriverDeclaration"`
	// Identity identifies the driver; the certificate repeats it.
	Identity Identity `yaml:"identity" jsonschema:"required,description=Vendor of the driver; printed on the certificate."`
	Driver   string   `yaml:"driver" jsonschema:"required,description=The DRA driver name: spec.driver of its ResourceSlices."`
	Classes  []Class  `yaml:"classes" jsonschema:"required,minItems=1,description=Device classes of the driver's devices. Cases use the first one\\, and those of a feature the class listing the feature."`
	Nodes    Nodes    `yaml:"nodes,omitempty"`
	// Features are the driver's features: supported (true) or not (false); omitted ones are determined by observation.
	Features Features `yaml:"features,omitempty" jsonschema:"description=Features of the driver: true or false. Features left out are observed."`
	Config   Config   `yaml:"config,omitempty"`
	Workload Workload `yaml:"workload" jsonschema:"required"`
	// Namespace is applied to all namespaces for pods.
	Namespace Namespace  `yaml:"namespace,omitempty" since:"v1alpha1" jsonschema:"description=Labels and annotations of all namespaces for pods\\, for example for Pod Security."`
	Hooks     Hooks      `yaml:"hooks,omitempty"`
	Deploy    Deploy     `yaml:"deploy,omitempty"`
	Limits    Limits     `yaml:"limits,omitempty"`
	Budget    Budget     `yaml:"budget,omitempty" jsonschema:"description=Maximum costs promised by the vendor. Costs left out are measured but not judged."`
	Excepted  Exceptions `yaml:"exceptions,omitempty"`
	// Cases are the vendor's own.
	Cases []Case `yaml:"cases,omitempty" since:"v1alpha1" jsonschema:"description=The vendor's own cases. They run after those of dratest and are listed in the report; they never count."`
}

// Case is a vendor's own case: a command on the user's machine that passes with exit code 0.
type Case struct {
	Name    string        `yaml:"name" jsonschema:"required"`
	Promise string        `yaml:"promise" jsonschema:"required,description=What the case shows\\, in one line."`
	Command []string      `yaml:"command" jsonschema:"required,minItems=1,description=Program and arguments."`
	Timeout time.Duration `yaml:"timeout,omitempty" jsonschema:"type=string,default=5m"`
}

// Identity identifies the driver.
type Identity struct {
	Organization string   `yaml:"organization" jsonschema:"required"`
	Project      string   `yaml:"project" jsonschema:"required"`
	Version      string   `yaml:"version" jsonschema:"required,description=The driver's version."`
	URL          string   `yaml:"url,omitempty"`
	Contact      []string `yaml:"contact,omitempty" jsonschema:"description=Mail addresses or links for questions about a report."`
}

// Class is a device class in the cluster, created by the driver's installation.
type Class struct {
	Name string `yaml:"name" jsonschema:"required"`
	// Selectors are CEL expressions of requests in addition to the class's.
	Selectors []string `yaml:"selectors,omitempty" jsonschema:"description=CEL expressions for requests\\, in addition to those of the class."`
	// DevicesPerNode is the minimum number of devices of the class per node.
	DevicesPerNode int `yaml:"devicesPerNode" jsonschema:"required,minimum=1"`
	// Workload has the commands for containers with these devices; empty means those of Declaration.Workload.
	Workload ClassWorkload `yaml:"workload,omitempty" since:"v1alpha1" jsonschema:"description=Commands for containers with devices of this class\\, instead of those in workload."`
	// Features are those with cases using this class instead of the first one.
	Features ClassFeatures `yaml:"features,omitempty" jsonschema:"description=Features with cases using this class instead of the first one\\, for example partitionable if partitions have their own class."`
}

// ClassWorkload has commands as in Workload.
type ClassWorkload struct {
	Present  []string `yaml:"present,omitempty"`
	Absent   []string `yaml:"absent,omitempty"`
	Identify []string `yaml:"identify,omitempty"`
}

// Nodes says where the driver runs.
type Nodes struct {
	// Selector are labels of those nodes; empty means all nodes with published devices.
	Selector map[string]string `yaml:"selector,omitempty" jsonschema:"description=Labels of the driver's nodes (default: all nodes with slices of the driver)."`
	// KubeletRoot is the kubelets' root directory.
	KubeletRoot string `yaml:"kubeletRoot,omitempty" jsonschema:"default=/var/lib/kubelet"`
	// Template describes the devices of each of those nodes.
	Template []Devices `yaml:"template,omitempty" jsonschema:"description=Devices of each of these nodes\\, for tools that add nodes such as autoscalers. Empty means no promise."`
}

// Devices are identical devices of a node.
type Devices struct {
	Count int `yaml:"count" jsonschema:"required,minimum=1,description=How many of them a node has."`
	// Attributes and Capacity are as in a ResourceSlice; devices may have others, too.
	Attributes map[string]string `yaml:"attributes,omitempty" jsonschema:"description=Attributes with the same value on all nodes\\, as strings; devices may have others."`
	Capacity   map[string]string `yaml:"capacity,omitempty" jsonschema:"description=Capacities with the same value on all nodes."`
}

// Config has opaque parameters, as in spec.devices.config[].opaque.parameters of a claim.
type Config struct {
	Valid   []map[string]any `yaml:"valid,omitempty" jsonschema:"description=Parameters accepted by the driver."`
	Invalid []map[string]any `yaml:"invalid,omitempty" jsonschema:"description=Parameters rejected by the driver."`
}

// Encoded returns the parameters as JSON.
func (c Config) Encoded() (valid, invalid []json.RawMessage, err error) {
	for _, part := range []struct {
		into *[]json.RawMessage
		from []map[string]any
	}{{&valid, c.Valid}, {&invalid, c.Invalid}} {
		for _, parameters := range part.from {
			text, err := json.Marshal(parameters)
			if err != nil {
				return nil, nil, fmt.Errorf("encode config: %w", err)
			}
			*part.into = append(*part.into, text)
		}
	}
	return valid, invalid, nil
}

// Workload configures the containers of cases. Commands are program and arguments; they run in a shell of the image
// when the container starts.
type Workload struct {
	// Image contains a shell, sleep, and the dependencies of the commands; empty means dratest's busybox, available only
	// in dratest's own clusters.
	Image string `yaml:"image,omitempty" jsonschema:"description=Image with sh and sleep, and what the commands need."`
	// Present succeeds in a container with a device.
	Present []string `yaml:"present" jsonschema:"required,minItems=1,description=Command that succeeds in a container with a device of the driver."`
	// Absent succeeds in a container without one.
	Absent []string `yaml:"absent" jsonschema:"required,minItems=1,description=Command that succeeds in a container without a device."`
	// Identify prints one line per device, identical for the same device in every container.
	Identify []string `yaml:"identify,omitempty" jsonschema:"description=Command that prints one line per device of the container; the same device always has the same line."`
	// Template is a pod spec all pods are merged with. The case wins for nodes, commands and resources. A container named
	// "*" stands for all containers.
	Template map[string]any `yaml:"template,omitempty" since:"v1alpha1" jsonschema:"description=Spec that all pods are merged with\\, for example tolerations\\, imagePullSecrets or securityContext. A container named * stands for all containers."`
}

// Namespace is the metadata of namespaces for pods.
type Namespace struct {
	Labels      map[string]string `yaml:"labels,omitempty"`
	Annotations map[string]string `yaml:"annotations,omitempty"`
}

// Hooks are vendor-specific actions.
type Hooks struct {
	Inventory     Hook `yaml:"inventory,omitempty" jsonschema:"description=Prints the devices of node $DRATEST_NODE\\, one per line."`
	MakeUnhealthy Hook `yaml:"makeUnhealthy,omitempty" jsonschema:"description=Makes device $DRATEST_DEVICE of pool $DRATEST_POOL on node $DRATEST_NODE unhealthy."`
	Heal          Hook `yaml:"heal,omitempty" jsonschema:"description=Makes that device healthy again."`
	Install       Hook `yaml:"install,omitempty" jsonschema:"description=Installs the driver in the cluster of $KUBECONFIG; returns once it publishes devices."`
	Upgrade       Hook `yaml:"upgrade,omitempty" jsonschema:"description=Replaces the previous version by this one\\, $DRATEST_VERSION; pods with claims run on meanwhile."`
	Downgrade     Hook `yaml:"downgrade,omitempty" jsonschema:"description=Replaces this version by deploy.previousVersion\\, $DRATEST_VERSION; pods with claims run on meanwhile."`
	Uninstall     Hook `yaml:"uninstall,omitempty" jsonschema:"description=Removes the driver from the cluster of $KUBECONFIG\\, including its files on nodes."`
	Reboot        Hook `yaml:"reboot,omitempty" jsonschema:"description=Restarts node $DRATEST_NODE."`
}

// Hook is a command on the user's machine or on a node.
type Hook struct {
	Command []string `yaml:"command,omitempty" jsonschema:"description=Program and arguments."`
	// RunsOn is the user's machine, or node $DRATEST_NODE, as root with the node's programs and files.
	RunsOn string `yaml:"runsOn,omitempty" since:"v1alpha1" jsonschema:"enum=machine,enum=node,default=machine,description=On node $DRATEST_NODE the command runs as root\\, with the node's programs and files."`
	// On is RunsOn in files without apiVersion. YAML 1.1 takes this key for true.
	On string `yaml:"on,omitempty" until:"runsOn" jsonschema:"-"`
	// Timeout bounds it.
	Timeout time.Duration `yaml:"timeout,omitempty" jsonschema:"type=string,default=5m"`
}

// IsZero tells whether there is no such hook.
func (h Hook) IsZero() bool { return len(h.Command) == 0 && h.RunsOn == "" && h.Timeout == 0 }

// The places where a hook runs.
const (
	OnMachine = "machine"
	OnNode    = "node"
)

// Deploy says how the driver is deployed.
type Deploy struct {
	// DaemonSet is "namespace/name"; its pods' logs are evidence.
	DaemonSet       string   `yaml:"daemonSet,omitempty" jsonschema:"pattern=^[a-z0-9.-]+/[a-z0-9.-]+$"`
	PreviousVersion string   `yaml:"previousVersion,omitempty" jsonschema:"description=Version installed by hooks.downgrade."`
	CheckpointPaths []string `yaml:"checkpointPaths,omitempty" jsonschema:"description=Files on nodes with the driver's record of prepared claims."`
}

// Limits are the vendor's time limits.
type Limits struct {
	// Prepare is the longest time from scheduling a pod until it runs.
	Prepare time.Duration `yaml:"prepare,omitempty" jsonschema:"type=string,description=Longest time from a pod's being scheduled until it runs.,default=2m"`
	// Republish is how long slices may be missing or incomplete.
	Republish time.Duration `yaml:"republish,omitempty" jsonschema:"type=string,description=How long slices may be missing or incomplete.,default=30s"`
	// Serial has one case run at a time.
	Serial bool `yaml:"serial,omitempty" jsonschema:"description=One case at a time\\, as where there is one device."`
}

// Exceptions are cases known by the vendor to fail.
type Exceptions []Exception

// Exception is a case with the reason why it fails. Until its last day the failure makes a verdict incomplete instead
// of negative; it never makes it positive.
type Exception struct {
	Case   string `yaml:"case" jsonschema:"required"`
	Reason string `yaml:"reason" jsonschema:"required"`
	Issue  string `yaml:"issue" jsonschema:"required,description=Where it is tracked."`
	// Until is the last day, as 2026-12-31.
	Until string `yaml:"until" jsonschema:"required,format=date"`
}
