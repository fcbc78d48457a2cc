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

package fabricplan

import (
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// The conditions of slots.
const (
	// Attached is the binding condition: the device is at the node.
	Attached = "dra-conformance.github.io/attached"
	// AttachFailed is a failure condition: no device could be attached.
	AttachFailed = "dra-conformance.github.io/attach-failed"
	// AttachedAsLocal is a failure condition for a success: the device is at the node and published
	// there, and the pod should be rescheduled to it.
	AttachedAsLocal = "dra-conformance.github.io/attached-as-local"
)

// Reasons of conditions and events.
const (
	ReasonAttaching   = "Attaching"
	ReasonAttached    = "Attached"
	ReasonNotVisible  = "NotPublishedYet"
	ReasonFailed      = "AttachFailed"
	ReasonNoneFree    = "NoneFree"
	ReasonRefused     = "Refused"
	ReasonKeyUsed     = "DetachedMeanwhile"
	ReasonDied        = "DeviceDied"
	ReasonNoNode      = "NoNode"
	ReasonAdminAccess = "AdminAccess"
)

const (
	// FabricLabel on slices and taint rules has the fabric's name.
	FabricLabel = "dra-conformance.github.io/fabric"
	// ModelAttribute names the model of a slot.
	ModelAttribute resourceapi.QualifiedName = "model"
	// TimeoutAttribute is the binding timeout of a slot, for schedulers supporting it.
	TimeoutAttribute resourceapi.QualifiedName = "dra-conformance.github.io/bindingTimeout"
	// DetachingTaint keeps pods off a device about to be detached.
	DetachingTaint = "dra-conformance.github.io/detaching"
)

// Config is an administrator's configuration of a fabric.
type Config struct {
	// Driver is the driver name of slots, the same as that of the driver on the nodes.
	Driver string
	// Fabric is the fabric's name, a DNS label.
	Fabric string
	// Nodes are the nodes for attaching devices, as one term; nil means all.
	Nodes *corev1.NodeSelector
	// Reschedule abandons binding once a device is attached and published on its node. Otherwise
	// pods are bound with their slots.
	Reschedule bool
	// BindingTimeout is published as TimeoutAttribute; 0 leaves it out.
	BindingTimeout time.Duration
	// DetachAfter is the idle time before a device is detached.
	DetachAfter time.Duration
	// CordonFor is how long a published device is tainted before it is detached: longer than a
	// scheduler takes to see it.
	CordonFor time.Duration
}

// Validate returns all problems at once.
func (c Config) Validate() error {
	var problems []error
	for _, text := range validation.IsDNS1123Subdomain(c.Driver) {
		problems = append(problems, fmt.Errorf("driver name %q: %s", c.Driver, text))
	}
	for _, text := range validation.IsDNS1123Label(c.Fabric) {
		problems = append(problems, fmt.Errorf("fabric name %q: %s", c.Fabric, text))
	}
	if c.Nodes != nil && len(c.Nodes.NodeSelectorTerms) != 1 {
		problems = append(problems, errors.New("node selector: a slice has exactly one term"))
	}
	if c.BindingTimeout < 0 || c.DetachAfter < 0 || c.CordonFor < 0 {
		problems = append(problems, errors.New("times must not be negative"))
	}
	return errors.Join(problems...)
}

// Pool is the name of the pool with the slots of a model.
func (c Config) Pool(model string) string { return c.Fabric + "/" + model }

// model returns the model of a pool of slots; not ok if the pool is not of this fabric.
func (c Config) model(driver, pool string) (model string, ok bool) {
	if driver != c.Driver {
		return "", false
	}
	return strings.CutPrefix(pool, c.Fabric+"/")
}
