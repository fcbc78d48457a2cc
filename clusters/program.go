package clusters

import (
	"os/exec"
	"path/filepath"
)

// ProgramPath is the absolute path of a program of Config.Programs, which runs in another folder.
// It is an error if nothing can be run there.
func ProgramPath(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err == nil {
		_, err = exec.LookPath(absolute)
	}
	return absolute, err
}
