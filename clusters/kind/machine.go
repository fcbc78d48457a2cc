package kind

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// capSysResource is the number of CAP_SYS_RESOURCE in linux/capability.h.
const capSysResource = 24

// inspect finds out what of this machine matters to a cluster. The engine is
// taken to have the capabilities of this process, as it runs on the same machine.
func inspect(ctx context.Context, e engine) (machine, error) {
	version, err := e.CgroupVersion(ctx)
	if err != nil {
		return machine{}, err
	}
	m := machine{CgroupV1: version == "1"}
	f, err := os.Open("/proc/self/status")
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil // not Linux: the engine is in a virtual machine with everything
	}
	if err != nil {
		return machine{}, err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if set, ok := strings.CutPrefix(lines.Text(), "CapBnd:"); ok {
			bits, err := strconv.ParseUint(strings.TrimSpace(set), 16, 64)
			if err != nil {
				return machine{}, err
			}
			m.NoSysResource = bits&(1<<capSysResource) == 0
		}
	}
	return m, lines.Err()
}
