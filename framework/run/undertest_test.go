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

package run

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestHooksRunInTheDirectoryOfTheSession(t *testing.T) {
	dir := t.TempDir()
	printed, err := Machine{Dir: dir}.RunHook(t.Context(), "inventory", spec.Hook{Command: []string{"pwd"}})
	if err != nil || !strings.Contains(printed, dir) {
		t.Errorf("ran in %q, want %s: %v", printed, dir, err)
	}
}

func TestAnotherDriverBuildDoesNotFit(t *testing.T) {
	e := earlier{run: &journal.Run{DriverBuild: "1"}}
	if err := e.fits(journal.Run{DriverBuild: "1"}); err != nil {
		t.Error(err)
	}
	if err := e.fits(journal.Run{DriverBuild: "2"}); err == nil || !strings.Contains(err.Error(), "other images of the driver") {
		t.Errorf("got %v", err)
	}
}
