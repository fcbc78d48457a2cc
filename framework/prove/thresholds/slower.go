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

package thresholds

import (
	_ "embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed slower.go.txt
var burn []byte

const (
	reserveFile = "implementation/scheduler/reserve.go"
	reserve     = "func (pl *Plugin) Reserve(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, nodeName string) *fwk.Status {\n"
)

// Slower returns the files to replace in a checkout for a scheduler with a plugin costing a fifth more CPU time per
// pod.
func Slower(checkout fs.FS) (map[string][]byte, error) {
	source, err := fs.ReadFile(checkout, reserveFile)
	if err != nil {
		return nil, fmt.Errorf("make a slower scheduler: %w", err)
	}
	if n := strings.Count(string(source), reserve); n != 1 {
		return nil, fmt.Errorf("make a slower scheduler: %s has %d functions Reserve instead of one", reserveFile, n)
	}
	return map[string][]byte{
		reserveFile:                        []byte(strings.Replace(string(source), reserve, reserve+"\tburn()\n", 1)),
		"implementation/scheduler/burn.go": burn,
	}, nil
}
