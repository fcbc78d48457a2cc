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

package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// reportDir and fetchedFile are in the volume.
	reportDir   = "report"
	fetchedFile = "fetched"
	// lookEvery is the keeper's polling interval.
	lookEvery = time.Second
)

// Hold keeps the pod until Release is called for a volume.
func Hold(ctx context.Context, volume string) error {
	err := wait.PollUntilContextCancel(ctx, lookEvery, true, func(context.Context) (bool, error) {
		_, err := os.Stat(filepath.Join(volume, fetchedFile))
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("keep the results in %s until they are fetched: %w", volume, err)
	}
	return nil
}

// Send writes the report in a volume as an archive.
func Send(w io.Writer, volume string) error { return pack(w, filepath.Join(volume, reportDir)) }

// Release records that the results in a volume have been fetched.
func Release(volume string) error {
	if err := os.WriteFile(filepath.Join(volume, fetchedFile), nil, 0o644); err != nil {
		return fmt.Errorf("note that the results were fetched: %w", err)
	}
	return nil
}
