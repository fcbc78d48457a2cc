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

package existing

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/google/renameio/v2"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/dra-conformance/dratest/clusters"
)

// writeCopy writes a kubeconfig with one context. It replaces an existing file instead of writing to it: the file could
// be a link, or belong to another user, who could then read the credentials.
func (p *Provider) writeCopy(raw clientcmdapi.Config, name string) (string, error) {
	raw.CurrentContext = name
	if err := clientcmdapi.MinifyConfig(&raw); err != nil {
		return "", err
	}
	if err := clientcmdapi.FlattenConfig(&raw); err != nil {
		return "", err
	}
	content, err := clientcmd.Write(raw)
	if err != nil {
		return "", err
	}
	path, err := p.copyPath(name)
	if err != nil {
		return "", err
	}
	if err := privateDir(filepath.Dir(path)); err != nil {
		return "", err
	}
	return path, renameio.WriteFile(path, content, 0o600)
}

// copyPath returns the path of the copy for a context, $TMPDIR/dratest-UID/kubeconfig-HASH. The hash includes the paths
// of the kubeconfig, since many kubeconfigs have a context of the same name.
func (p *Provider) copyPath(name string) (string, error) {
	files := []string{p.Kubeconfig}
	if p.Kubeconfig == "" {
		files = clientcmd.NewDefaultClientConfigLoadingRules().Precedence
	}
	hash := sha256.New()
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			return "", err
		}
		_, _ = io.WriteString(hash, path+"\x00") // never fails
	}
	_, _ = io.WriteString(hash, name)
	return filepath.Join(os.TempDir(), copyDir(), fmt.Sprintf("kubeconfig-%x", hash.Sum(nil)[:8])), nil
}

func copyDir() string { return fmt.Sprintf("dratest-%d", os.Getuid()) }

// isCopy reports whether the given kubeconfig is a copy.
func (p *Provider) isCopy() bool {
	path, err := filepath.Abs(p.Kubeconfig)
	return p.Kubeconfig != "" && err == nil && filepath.Base(filepath.Dir(path)) == copyDir() && copyName.MatchString(filepath.Base(path))
}

var copyName = regexp.MustCompile(`^kubeconfig-[0-9a-f]{16}$`)

// privateDir creates a directory for credentials. In a shared directory, another user may have created it before.
func privateDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(stat.Uid) != os.Getuid() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%w: %s (%s) must be a directory owned by you and closed to other users: remove it, or set TMPDIR to another directory",
			clusters.ErrEnvironment, dir, info.Mode())
	}
	return nil
}

func fileExists(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}
