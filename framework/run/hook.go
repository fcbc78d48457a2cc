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
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/spec"
)

// HookTime is the default timeout of a hook.
const HookTime = 5 * time.Minute

// Machine runs hooks on this machine.
type Machine struct {
	// Dir is the working directory of hooks; empty is that of this process.
	Dir string
}

var _ undertest.Hooks = Machine{}

// RunHook implements undertest.Hooks. The error has the end of what the hook said.
func (m Machine) RunHook(ctx context.Context, name spec.HookName, h spec.Hook, environment ...string) (printed string, err error) {
	limit := cmp.Or(h.Timeout, HookTime)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not finish within %s: check what it waits for, or increase hooks.%s.timeout", limit, name))
	defer cancel()
	if printed, err = command.Run(ctx, command.Cmd{Args: h.Command, Dir: m.Dir, Env: slices.Concat(h.Environment, environment)}); err != nil {
		return "", fmt.Errorf("hook %s: %w", name, err)
	}
	return printed, nil
}
