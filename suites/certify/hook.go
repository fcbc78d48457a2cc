package certify

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/drivers/declarations"
)

// EnvCluster is the environment variable by which hooks learn the name of a cluster that
// dratest has made.
const EnvCluster = "DRATEST_CLUSTER"

// hookTime bounds a hook that declares nothing else.
const hookTime = 5 * time.Minute

// RunHook runs a hook on this machine. Errors wrap ErrNotThere and have the end of what the
// hook said.
func RunHook(ctx context.Context, name string, h declarations.Hook, env ...string) error {
	if h.On == declarations.OnNode {
		return fmt.Errorf("%w: hook %s is to run on a node, which certify does not do yet: run it on the machine", ErrNotThere, name)
	}
	limit := cmp.Or(h.Timeout, hookTime)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it has not ended after %s (hooks.%s.timeout)", limit, name))
	defer cancel()
	if _, err := command.Run(ctx, command.Cmd{Args: h.Command, Env: env}); err != nil {
		return fmt.Errorf("%w: hook %s: %w", ErrNotThere, name, err)
	}
	return nil
}
