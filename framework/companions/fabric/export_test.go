package fabric

import (
	"context"

	"github.com/dra-conformance/dratest/drivers/fabric"
	casefabric "github.com/dra-conformance/dratest/framework/harness/fabric"
)

// Detach begins to take a device from the other cluster, that has it by Take.
func Detach(ctx context.Context, f casefabric.Client, device string) error {
	i := f.(*instance)
	_, err := i.as(theirs).Detach(ctx, fabric.DetachRequest{Device: device})
	return err
}
