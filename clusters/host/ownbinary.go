package host

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
)

// ownBinary returns the path of a program of this project: the one beside the
// running executable or, in a checkout, one that is built into the folder out.
func ownBinary(ctx context.Context, name, out string) (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find %s: %w", name, err)
	}
	beside := filepath.Join(filepath.Dir(exe), name)
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		return beside, nil
	}
	path := filepath.Join(out, name)
	pkg := "github.com/dra-conformance/dratest/cmd/" + name
	//nolint:gosec // name is ours
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", path, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: no %s beside %s, and building it failed (run dratest in a checkout, with Go): %w: %s",
			clusters.ErrEnvironment, name, exe, err, strings.TrimSpace(string(output)))
	}
	return path, nil
}
