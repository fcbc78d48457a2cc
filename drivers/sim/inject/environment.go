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

package inject

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

func environment(driver string, claim *resourceapi.ResourceClaim, result resourceapi.DeviceRequestAllocationResult) ([]string, error) {
	allocation := claim.Status.Allocation.Devices
	var devices, pools []string
	for _, other := range allocation.Results {
		if other.Driver == driver && other.Request == result.Request {
			devices = append(devices, other.Device)
			pools = append(pools, other.Pool)
		}
	}
	suffix := variable(claimName(claim)) + "_" + variable(result.Request)
	env := map[string]string{
		"dratest_driver":  driver,
		"claim_" + suffix: strings.Join(devices, ","),
		"pool_" + suffix:  strings.Join(pools, ","),
	}
	if result.AdminAccess != nil && *result.AdminAccess {
		env["adminaccess_"+suffix] = "true"
	}
	for _, config := range resourceclaim.ConfigForResult(allocation.Config, result) {
		if config.Opaque.Driver == controllerGroup {
			variables, err := handed(config.Opaque.Parameters.Raw)
			if err != nil {
				return nil, err
			}
			maps.Copy(env, variables)
		}
		if config.Opaque.Driver != driver {
			continue
		}
		prefix := "user_"
		if config.Source == resourceapi.AllocationConfigSourceClass {
			prefix = "admin_"
		}
		parameters, err := Parameters(config.Opaque.Parameters.Raw)
		if err != nil {
			return nil, fmt.Errorf("parameters %s: %w", config.Source, err)
		}
		for key, value := range parameters {
			env[prefix+key] = value
		}
	}
	lines := make([]string, 0, len(env))
	for _, key := range slices.Sorted(maps.Keys(env)) {
		lines = append(lines, key+"="+env[key])
	}
	return lines, nil
}

// Parameters reads opaque driver parameters: a JSON object of strings; apiVersion and kind are ignored. Errors name
// the invalid key.
func Parameters(raw []byte) (map[string]string, error) {
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, fmt.Errorf("must be a JSON object of strings: %w", err)
	}
	parameters := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if key == "apiVersion" || key == "kind" {
			continue
		}
		value, ok := object[key].(string)
		if !ok {
			return nil, fmt.Errorf("must be a JSON object of strings: the value of %q is not a string", key)
		}
		if err := checkVariable(key, value); err != nil {
			return nil, err
		}
		parameters[key] = value
	}
	return parameters, nil
}

func checkVariable(key, value string) error {
	if key == "" || strings.ContainsAny(key, "=\x00") || strings.Contains(value, "\x00") {
		return fmt.Errorf("%q can not be an environment variable", key)
	}
	return nil
}

func claimName(claim *resourceapi.ResourceClaim) string {
	if name := claim.Annotations[resourceapi.PodResourceClaimAnnotation]; name != "" {
		return name
	}
	return claim.Name
}

// variable makes a name fit for an environment variable.
func variable(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
}
