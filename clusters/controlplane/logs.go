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

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/dra-conformance/dratest/clusters"
)

// versionsTimeout bounds reading the running versions from the API server.
const versionsTimeout = 15 * time.Second

// Logs writes the logs of a cluster's processes into dir, one file each, and versions.json. The error names missing
// ones.
func (p *Provider) Logs(ctx context.Context, name, dir string) error {
	s, err := p.parts()
	if err != nil {
		return err
	}
	r, err := s.store.MustLoad(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write logs of cluster %q: %w", name, err)
	}
	return s.progress.Step(fmt.Sprintf("collect the logs of cluster %s", name), 0, func() error {
		var errs []error
		for _, process := range r.Processes {
			file := process.Name + ".log"
			errs = append(errs, copyFile(filepath.Join(s.store.Folder(name), file), filepath.Join(dir, file)))
		}
		ctx, cancel := context.WithTimeout(ctx, versionsTimeout)
		defer cancel()
		a, err := s.connect(s.store.Kubeconfig(name))
		if err == nil {
			err = clusters.WriteVersions(ctx, a.client, dir)
		}
		if err := errors.Join(append(errs, err)...); err != nil {
			return fmt.Errorf("collect logs of cluster %q into %s: %w", name, dir, err)
		}
		return nil
	})
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
