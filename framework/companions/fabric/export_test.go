package fabric

import (
	"context"

	"github.com/dra-conformance/dratest/drivers/fabric"
	"github.com/dra-conformance/dratest/framework/harness"
)

// Detach begins to take a device from the other cluster, that has it by Take.
func Detach(ctx context.Context, f harness.ComposedFabric, device string) error {
	i := f.(*instance)
	_, err := i.as(theirs).Detach(ctx, fabric.DetachRequest{Device: device})
	return err
}
