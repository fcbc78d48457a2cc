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

package v1alpha1

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClassConfig makes claims of a DeviceClass classic.
type ClassConfig struct {
	metav1.TypeMeta `json:",inline"`
	// ResourceClassName is the name of a ResourceClass.
	ResourceClassName string `json:"resourceClassName"`
}

// ClaimConfig in a ResourceClaim has the user's choices in addition to the class. Without one the
// defaults apply. Inline parameters are in a configuration for the driver itself, as in any claim.
type ClaimConfig struct {
	metav1.TypeMeta `json:",inline"`
	// AllocationMode defaults to WaitForFirstConsumer.
	AllocationMode AllocationMode `json:"allocationMode,omitempty"`
	// ParametersRef names an object in the claim's namespace.
	ParametersRef *ClaimParametersReference `json:"parametersRef,omitempty"`
}

// ClaimParametersReference names an object with a claim's parameters.
type ClaimParametersReference struct {
	// APIGroup is empty for the core API.
	APIGroup string `json:"apiGroup,omitempty"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
}

// AllocationConfig in an allocation has a driver's information in addition to the devices.
type AllocationConfig struct {
	metav1.TypeMeta `json:",inline"`
	// ResourceHandle is copied from the ClassicClaim for the driver's node part.
	ResourceHandle string `json:"resourceHandle,omitempty"`
	// UserLimit is the maximum number of pods using the claim at the same time; -1 means no limit.
	UserLimit int32 `json:"userLimit"`
}

// errNotOurs means a configuration is for another driver.
var errNotOurs = errors.New("for another driver")

// ClassConfigOf returns the ResourceClass name of a DeviceClass, empty for a non-classic one.
// Errors are mistakes in the class.
func ClassConfigOf(class *resourceapi.DeviceClass) (string, error) {
	name := ""
	for i := range class.Spec.Config {
		var config ClassConfig
		err := decode(&class.Spec.Config[i].DeviceConfiguration, "ClassConfig", &config)
		switch {
		case errors.Is(err, errNotOurs):
			continue
		case err != nil:
			return "", fmt.Errorf("device class %s: configuration %d: %w", class.Name, i, err)
		case config.ResourceClassName == "":
			return "", fmt.Errorf("device class %s: configuration %d: resourceClassName is missing", class.Name, i)
		case name != "":
			return "", fmt.Errorf("device class %s: configuration %d: names a second resource class", class.Name, i)
		}
		name = config.ResourceClassName
	}
	return name, nil
}

// ClaimConfigOf returns a claim's configuration with defaults. Errors are mistakes in the claim.
func ClaimConfigOf(claim *resourceapi.ResourceClaim) (ClaimConfig, error) {
	found := ClaimConfig{AllocationMode: WaitForFirstConsumer}
	seen := false
	for i := range claim.Spec.Devices.Config {
		config := ClaimConfig{AllocationMode: WaitForFirstConsumer}
		err := decode(&claim.Spec.Devices.Config[i].DeviceConfiguration, "ClaimConfig", &config)
		switch ref := config.ParametersRef; {
		case errors.Is(err, errNotOurs):
			continue
		case err != nil:
			return found, fmt.Errorf("configuration %d: %w", i, err)
		case seen:
			return found, fmt.Errorf("configuration %d: a claim has one ClaimConfig", i)
		case config.AllocationMode != Immediate && config.AllocationMode != WaitForFirstConsumer:
			return found, fmt.Errorf("configuration %d: allocationMode %q is neither %s nor %s", i, config.AllocationMode, Immediate, WaitForFirstConsumer)
		case ref != nil && (ref.Kind == "" || ref.Name == ""):
			return found, fmt.Errorf("configuration %d: parametersRef needs kind and name", i)
		}
		found, seen = config, true
	}
	return found, nil
}

// AllocationConfigOf returns the driver's configuration of an allocation, and whether there is one.
func AllocationConfigOf(allocation *resourceapi.AllocationResult) (config AllocationConfig, found bool, err error) {
	for i := range allocation.Devices.Config {
		err := decode(&allocation.Devices.Config[i].DeviceConfiguration, "AllocationConfig", &config)
		if errors.Is(err, errNotOurs) {
			continue
		}
		if err != nil {
			return config, false, fmt.Errorf("configuration %d of the allocation: %w", i, err)
		}
		return config, true, nil
	}
	return config, false, nil
}

// DeviceConfiguration returns the form stored in an allocation.
func (c AllocationConfig) DeviceConfiguration() resourceapi.DeviceConfiguration {
	c.TypeMeta = metav1.TypeMeta{APIVersion: GroupVersion().String(), Kind: "AllocationConfig"}
	// Two strings and a number can always be encoded. Keys are sorted by name: when a scheduler
	// patches the claim's status to release it, the API server sorts them, and rejects the result
	// as another allocation if their order changed.
	raw, _ := json.Marshal(c)
	var fields map[string]any
	_ = json.Unmarshal(raw, &fields)
	raw, _ = json.Marshal(fields)
	opaque := &resourceapi.OpaqueDeviceConfiguration{Driver: GroupName}
	opaque.Parameters.Raw = raw
	return resourceapi.DeviceConfiguration{Opaque: opaque}
}

// decode reads a configuration for GroupName. Unknown fields are errors.
func decode(config *resourceapi.DeviceConfiguration, kind string, into any) error {
	if config.Opaque == nil || config.Opaque.Driver != GroupName {
		return errNotOurs
	}
	var meta metav1.TypeMeta
	if err := json.Unmarshal(config.Opaque.Parameters.Raw, &meta); err != nil {
		return fmt.Errorf("read apiVersion and kind: %w", err)
	}
	if meta.APIVersion != GroupVersion().String() || meta.Kind != kind {
		return fmt.Errorf("is %s of %s, must be %s of %s", meta.Kind, meta.APIVersion, kind, GroupVersion())
	}
	decoder := json.NewDecoder(bytes.NewReader(config.Opaque.Parameters.Raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("decode %s: %w", kind, err)
	}
	return nil
}
