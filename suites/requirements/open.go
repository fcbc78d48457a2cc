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
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

const openHeader = "# At most %d requirements that need a case and have none. Generated with \"make generate\"; the number only goes down.\n"

// Open returns the requirements known to have no case yet, and their maximum number.
func Open() (ids []spec.RequirementID, most int, err error) {
	content, err := files.ReadFile(openFile)
	if err != nil {
		return nil, 0, fmt.Errorf("read open requirements: %w", err)
	}
	if _, err := fmt.Sscanf(string(content), openHeader, &most); err != nil {
		return nil, 0, fmt.Errorf("read the number in the first line of requirements/%s: %w", openFile, err)
	}
	if err := yaml.UnmarshalStrict(content, &ids); err != nil {
		return nil, 0, fmt.Errorf("decode requirements/%s: %w", openFile, err)
	}
	return ids, most, nil
}

// RenderOpen returns open.yaml for these requirements. Its maximum is their number or most,
// whichever is smaller.
func RenderOpen(ids []spec.RequirementID, most int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, openHeader, min(most, len(ids)))
	for _, id := range ids {
		fmt.Fprintf(&b, "- %s\n", id)
	}
	if len(ids) == 0 {
		b.WriteString("[]\n")
	}
	return []byte(b.String())
}
