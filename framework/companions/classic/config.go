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

package classic

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// schedulerConfig is a scheduler's configuration with the given scheduler name. Leader election is off.
func schedulerConfig(config []byte, name, kubeconfig string) ([]byte, error) {
	var tree map[string]any
	if err := yaml.UnmarshalStrict(config, &tree); err != nil {
		return nil, err
	}
	profiles, _, err := unstructured.NestedSlice(tree, "profiles")
	if err != nil {
		return nil, err
	}
	if len(profiles) != 1 {
		return nil, fmt.Errorf("it has %d profiles, not one", len(profiles))
	}
	profile, ok := profiles[0].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("its profile is %T", profiles[0])
	}
	profile["schedulerName"] = name
	for _, set := range []struct {
		value any
		path  []string
	}{
		{profiles, []string{"profiles"}},
		{kubeconfig, []string{"clientConnection", "kubeconfig"}},
		{false, []string{"leaderElection", "leaderElect"}},
	} {
		if err := unstructured.SetNestedField(tree, set.value, set.path...); err != nil {
			return nil, err
		}
	}
	return yaml.Marshal(tree)
}
