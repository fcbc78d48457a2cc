package kind

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/dra-conformance/dratest/clusters/host/capability"
)

// inspect finds out what of this machine matters to a cluster. The engine is
// taken to have the capabilities of this process, as it runs on the same machine.
func inspect(ctx context.Context, e engine) (machine, error) {
	version, err := e.CgroupVersion(ctx)
	if err != nil {
		return machine{}, err
	}
	m := machine{CgroupV1: version == "1"}
	set, err := capability.Read("self")
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil // not Linux: the engine is in a virtual machine with everything
	}
	if err != nil {
		return machine{}, err
	}
	last, err := capability.Last()
	if err != nil {
		return machine{}, err
	}
	m.NoSysResource = slices.Contains(set.Missing(last), "CAP_SYS_RESOURCE")
	return m, nil
}
