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

package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dra-conformance/dratest/clusters/command"
)

// patience bounds a query to the engine; a healthy engine answers in well under a second.
const patience = 15 * time.Second

// ask runs a short program and returns its standard output. The error is the program's own message.
func ask(ctx context.Context, stdin io.Reader, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %s", patience))
	defer cancel()
	out, err := command.Run(ctx, command.Cmd{Args: append([]string{program}, args...), Stdin: stdin})
	var failed *command.Error
	switch {
	case errors.As(err, &failed) && failed.Output != "":
		return "", errors.New(failed.Output)
	case err != nil && ctx.Err() != nil:
		return "", context.Cause(ctx)
	}
	return out, err
}
