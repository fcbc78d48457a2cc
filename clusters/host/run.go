package host

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// patience is how long a question to the engine may take; a live engine answers
// in well under a second.
const patience = 15 * time.Second

// ask runs a program that answers at once and returns its standard output. The
// error is what the program wrote to its standard error.
func ask(ctx context.Context, stdin io.Reader, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %s", patience))
	defer cancel()
	//nolint:gosec // the callers name the programs
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &stdout, &stderr
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	} else if message := strings.TrimSpace(stderr.String()); err != nil && message != "" {
		err = fmt.Errorf("%s", message)
	}
	return strings.TrimSpace(stdout.String()), err
}
