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
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/own"
)

// wrapperPath and engineConfig are where the engine looks for dratest-oci-runtime and its configuration.
const (
	wrapperName  = "dratest-oci-runtime"
	wrapperPath  = "/usr/local/lib/dratest/" + wrapperName
	engineConfig = "/etc/docker/daemon.json"
)

// An engine started by dratest gets the runtime as flags: they end with the process and touch no file of the
// machine's owner. An engine installed by dratest but started by systemd or the package's script needs a file, and
// needs it before the first start.

// runtimeFlags returns the flags for dratest-oci-runtime as default runtime, given dockerd's configuration file (nil
// if there is none). dockerd refuses to start if flag and file both name a runtime, so a file naming another one is
// left to its owner.
func runtimeFlags(config []byte) ([]string, error) {
	var c struct {
		Runtimes       map[string]struct{ Path string } `json:"runtimes"`
		DefaultRuntime string                           `json:"default-runtime"`
	}
	if len(bytes.TrimSpace(config)) > 0 {
		if err := json.Unmarshal(config, &c); err != nil {
			return nil, fmt.Errorf("%w: read %s: %w: correct that file", clusters.ErrEnvironment, engineConfig, err)
		}
	}
	switch {
	case c.DefaultRuntime == runtimeName:
		return nil, nil
	case c.DefaultRuntime != "" || len(c.Runtimes) > 0:
		return nil, fmt.Errorf("%w: %s names OCI runtimes, and the engine needs %s as its default one on this machine: add it there under \"runtimes\" (path %s) and set \"default-runtime\" to %q",
			clusters.ErrEnvironment, engineConfig, wrapperName, wrapperPath, runtimeName)
	}
	return []string{"--add-runtime", runtimeName + "=" + wrapperPath, "--default-runtime", runtimeName}, nil
}

// runtimeConfig is the configuration file with the same meaning.
func runtimeConfig() []byte {
	return fmt.Appendf(nil, "{\n  \"default-runtime\": %q,\n  \"runtimes\": {%q: {\"path\": %q}}\n}\n", runtimeName, runtimeName, wrapperPath)
}

// installWrapper builds or finds dratest-oci-runtime and installs it.
func installWrapper(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "dratest-")
	if err != nil {
		return fmt.Errorf("install %s: %w", wrapperName, err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path, err := own.Binary(ctx, wrapperName, dir, own.Where{})
	if err != nil {
		return err
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("install %s: %w", wrapperName, err)
	}
	if old, err := os.ReadFile(wrapperPath); err == nil && bytes.Equal(old, program) {
		return nil
	}
	return install(wrapperPath, program, 0o755)
}

// configureBeforeInstall writes the configuration before the engine is installed. An existing file is kept.
func configureBeforeInstall() (written bool, err error) {
	if _, err := os.Lstat(engineConfig); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, install(engineConfig, runtimeConfig(), 0o644)
}
