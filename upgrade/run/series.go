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

package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// Series runs upgrades one after the other, on clusters of one name.
type Series struct {
	Parts Parts
	// Options have the cluster's name, images and output. Path and report directory are those of each upgrade.
	Options Options
	// Do runs an upgrade; nil means Run.
	Do func(context.Context, Parts, Options) (Record, error)
}

// Upgrade runs an upgrade. When ctx ends, the upgrade stops gracefully and can be resumed.
func (s Series) Upgrade(ctx context.Context, o Options) (Record, error) {
	o.Stop = ctx.Done()
	if s.Do != nil {
		return s.Do(ctx, s.Parts, o)
	}
	return Run(context.WithoutCancel(ctx), s.Parts, o)
}

// Remove removes the cluster, if there is one, even after ctx has ended.
func (s Series) Remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), testbed.CleanupTime)
	defer cancel()
	return s.Parts.Clusters.Delete(ctx, s.Options.Cluster.Name)
}

// Start prepares an upgrade spanning several trials. If there is nothing to resume, it removes files and cluster of
// an earlier process. A foreign cluster of that name stays and is an error later.
func (s Series) Start(ctx context.Context, dir string, resumed bool) error {
	earlier, found, err := Begun(dir)
	if resumed && (found || err != nil) {
		return err
	}
	// An unreadable record is from an earlier version of dratest.
	if resumed || err != nil || found && earlier.Cluster == s.Options.Cluster.Name {
		if err := s.Remove(ctx); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove leftovers of an earlier upgrade: %w", err)
	}
	return nil
}

// Begun returns the record of an upgrade begun by an earlier process, if there is one.
func Begun(dir string) (record Record, found bool, err error) {
	if _, err := os.Stat(filepath.Join(dir, RecordFile)); errors.Is(err, fs.ErrNotExist) {
		return record, false, nil
	}
	record, err = LoadRecord(dir)
	return record, err == nil, err
}

// Between requests the path from one release to another, as 1.36 to 1.37.
func Between(from, to string) (r path.Request, err error) {
	var errs []error
	r.From, err = Release(from)
	errs = append(errs, err)
	r.To, err = Release(to)
	errs = append(errs, err)
	r.Known, err = Known(r.From, r.To)
	return r, errors.Join(append(errs, err)...)
}

// Release is the known version of a release such as 1.36.
func Release(text string) (path.Version, error) {
	known, err := versions.Lookup(text)
	if err != nil {
		return path.Version{}, err
	}
	return path.ParseVersion(known.Kubernetes)
}

// Done counts the completed steps.
func (r Record) Done() (n int) {
	for _, s := range r.Steps {
		if s.Done {
			n++
		}
	}
	return n
}
