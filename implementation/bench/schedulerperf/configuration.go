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

package schedulerperf

import (
	_ "embed" // the configuration is a file of its own
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// ownConfiguration switches upstream's plugin off and ours on. DefaultPreemption
// is taken out and put back behind ours, because upstream runs its own plugin
// before it too.
//
//go:embed own.yaml
var ownConfiguration []byte

// configure writes a copy of the workload's file to dir with our scheduler configuration in each
// test case. It returns the copy's path.
func configure(w Workload, dir string) (string, error) {
	data, err := os.ReadFile(w.File())
	if err != nil {
		return "", fmt.Errorf("read a workload file: %w", err)
	}
	configuration := filepath.Join(dir, "scheduler-config.yaml")
	changed, err := withConfiguration(data, configuration)
	if err != nil {
		return "", fmt.Errorf("change a copy of %s: %w", w.File(), err)
	}
	path := filepath.Join(dir, fileName)
	for name, content := range map[string][]byte{configuration: ownConfiguration, path: changed} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return "", fmt.Errorf("write the workload's configuration: %w", err)
		}
	}
	return path, nil
}

// withConfiguration adds the path of a scheduler configuration to each test case without one in a
// workload file.
func withConfiguration(file []byte, path string) ([]byte, error) {
	var cases []map[string]any
	if err := yaml.Unmarshal(file, &cases); err != nil {
		return nil, fmt.Errorf("decode the workload file: %w", err)
	}
	for _, c := range cases {
		if _, has := c["schedulerConfigPath"]; !has {
			c["schedulerConfigPath"] = path
		}
	}
	return yaml.Marshal(cases)
}
