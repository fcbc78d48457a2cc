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
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness/classicdra"
)

var _ classicdra.Simulator = &instance{}

// Simulate runs the last started driver's simulation, in a process of its own: the allocations of pending pods with
// so many more nodes like this one.
func (i *instance) Simulate(ctx context.Context, like *corev1.Node, count int) (classicdra.Prediction, error) {
	var foretold classicdra.Prediction
	if i.what.Driver.Name == "" {
		return foretold, errors.New("simulate: only a started driver can")
	}
	input, err := json.Marshal(like) // JSON is YAML
	if err != nil {
		return foretold, fmt.Errorf("simulate: write the node: %w", err)
	}
	args := append([]string{"simulate", "--filename=-", "--output=json", "--count=" + strconv.Itoa(count)},
		deviceArgs(i.what.Driver, i.path("kubeconfig"), i.path(stateFile))...)
	command := exec.CommandContext(ctx, i.programs.Driver, args...) //nolint:gosec // the program is the project's own
	var out, problems bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(input), &out, &problems
	if err := command.Run(); err != nil {
		return foretold, fmt.Errorf("simulate: %w: %s", err, strings.TrimSpace(problems.String()))
	}
	if err := json.Unmarshal(out.Bytes(), &foretold); err != nil {
		return foretold, fmt.Errorf("simulate: read the answer %s: %w", out.String(), err)
	}
	return foretold, nil
}
