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

package web

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// axe-core is fetched with npm into the user's cache and must have the registry's digest of this
// version.
const (
	axeVersion   = "4.10.3"
	axeIntegrity = "sha512-Xm7bpRXnDSX2YE2YFfBk2FnF0ep6tmG7xPh8iHee8MIcrgq762Nkce856dYtJYLkuIoYZvGfTs/PbZhideTcEg=="
)

var axeOnce = sync.OnceValues(fetchAxe)

// axe returns the source of axe-core.
func axe(t *testing.T) string {
	t.Helper()
	program, err := axeOnce()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func fetchAxe() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "dratest", "npm")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	file := filepath.Join(dir, "axe-core-"+axeVersion+".tgz")
	archive, err := os.ReadFile(file)
	if err != nil || integrity(archive) != axeIntegrity {
		if _, err := exec.LookPath("npm"); err != nil {
			return "", fmt.Errorf("axe-core is fetched with npm, which was not found: install it (Debian, Ubuntu: \"apt-get install npm\"), or put axe-core-%s.tgz into %s", axeVersion, dir)
		}
		command := exec.Command("npm", "pack", "axe-core@"+axeVersion, "--pack-destination", dir)
		command.Dir = dir
		if output, err := command.CombinedOutput(); err != nil {
			return "", fmt.Errorf("fetch axe-core with npm: %w: %s", err, output)
		}
		if archive, err = os.ReadFile(file); err != nil {
			return "", err
		}
	}
	if got := integrity(archive); got != axeIntegrity {
		return "", fmt.Errorf("%s has the digest %s, not %s: remove it", file, got, axeIntegrity)
	}
	return member(archive, "package/axe.min.js")
}

func integrity(data []byte) string {
	sum := sha512.Sum512(data)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// member returns a file of a compressed archive.
func member(archive []byte, name string) (string, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return "", err
	}
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if err != nil {
			return "", fmt.Errorf("find %s in axe-core: %w", name, err)
		}
		if header.Name == name {
			text, err := io.ReadAll(files)
			return string(text), err
		}
	}
}
