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

package perf

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/reports"
)

// Variant is the software of one side.
type Variant struct {
	Stack clusters.Stack
	// Version is the Kubernetes version, such as "v1.36.4"; empty for that of Options.
	Version string
	// Programs are paths of programs replacing the stack's, by process name as in clusters.Config.
	Programs map[string]string
}

// Validate reports unknown programs and files not executable.
func (s Variant) Validate() error {
	known := []string{etcd, apiserver, scheduler, controllers, ownControllers}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(s.Programs)) {
		if !slices.Contains(known, name) {
			errs = append(errs, fmt.Errorf("a control plane has no program %q, only %s", name, strings.Join(known, ", ")))
			continue
		}
		if _, err := clusters.ProgramPath(s.Programs[name]); err != nil {
			errs = append(errs, fmt.Errorf("program of %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// Describe describes the subject, such as "stock v1.36.4, kube-scheduler is mine
// (sha256:0123456789ab)". The digest distinguishes files of the same name.
func (s Variant) Describe() (string, error) {
	text := s.Stack.String()
	if s.Version != "" {
		text += " " + s.Version
	}
	for _, name := range slices.Sorted(maps.Keys(s.Programs)) {
		digest, err := reports.ProgramDigest(s.Programs[name])
		if err != nil {
			return "", fmt.Errorf("read what runs as %s: %w", name, err)
		}
		text += fmt.Sprintf(", %s is %s (%.19s)", name, filepath.Base(s.Programs[name]), digest) // "sha256:" and 12 digits
	}
	return strings.TrimSpace(text), nil
}
