package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dra-conformance/dratest/clusters/command"
)

// patience is how long a question to the engine may take; a live engine answers
// in well under a second.
const patience = 15 * time.Second

// ask runs a program that answers at once and returns its standard output. The
// error is what the program itself said.
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
