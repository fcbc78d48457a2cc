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

package requirements

import (
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

// gapsFile lists requirements instead of defining them.
const gapsFile = "gaps.yaml"

// Gaps returns the rows of gaps.yaml.
func Gaps() ([]spec.Gap, error) {
	content, err := files.ReadFile(gapsFile)
	if err != nil {
		return nil, fmt.Errorf("read gaps of requirements: %w", err)
	}
	return ParseGaps(content)
}

// ParseGaps decodes the content of gaps.yaml.
func ParseGaps(content []byte) ([]spec.Gap, error) {
	var gaps []spec.Gap
	if err := yaml.UnmarshalStrict(content, &gaps); err != nil {
		return nil, fmt.Errorf("decode requirements/%s: %w", gapsFile, err)
	}
	return gaps, nil
}
