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
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
)

// stateDir holds the marker and the logs of an engine installed or started by dratest. It belongs to root, as the
// engine does.
const stateDir = "/var/lib/dratest"

// marker is stateDir/engine.json: the changes dratest made to this machine. It distinguishes dratest's engine from
// the machine's own.
type marker struct {
	// Packages installed by dratest.
	Packages  []string  `json:"packages,omitempty"`
	Installed time.Time `json:"installed,omitzero"`
	// Config is the engine's configuration file, if written by dratest.
	Config string `json:"config,omitempty"`
	// Command is dratest's last command line of the engine.
	Command []string  `json:"command,omitempty"`
	Started time.Time `json:"started,omitzero"`
}

// readMarker returns an empty marker if there is none.
func readMarker(dir string) (marker, error) {
	text, err := os.ReadFile(filepath.Join(dir, "engine.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return marker{}, nil
	}
	if err != nil {
		return marker{}, fmt.Errorf("read what dratest installed: %w", err)
	}
	var m marker
	if err := json.Unmarshal(text, &m); err != nil {
		return marker{}, fmt.Errorf("read what dratest installed from %s: %w", dir, err)
	}
	return m, nil
}

// updateMarker changes the marker and writes it.
func updateMarker(dir string, change func(*marker)) error {
	m, err := readMarker(dir)
	if err != nil {
		return err
	}
	change(&m)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write what dratest installed: %w", err)
	}
	return install(filepath.Join(dir, "engine.json"), append(text, '\n'), 0o644)
}

// install writes a file atomically, with its parent directories.
func install(path string, content []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("install %s: %w", path, err)
	}
	if err := renameio.WriteFile(path, content, mode, renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("install %s: %w", path, err)
	}
	return nil
}
