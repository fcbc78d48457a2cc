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

package clusters

import (
	"os/exec"
	"path/filepath"
)

// ProgramPath returns the absolute path of a program of Config.Programs, since it runs in another directory. It fails
// if the file is not executable.
func ProgramPath(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err == nil {
		_, err = exec.LookPath(absolute)
	}
	return absolute, err
}
