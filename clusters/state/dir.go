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

package state

import (
	"fmt"
	"os"
	"path/filepath"
)

// Dir is the directory of this user's cluster state: $DRATEST_STATE, or clusters in dratest's directory of the user's
// cache.
func Dir() (string, error) {
	if dir := os.Getenv("DRATEST_STATE"); dir != "" {
		return filepath.Abs(dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a directory to remember clusters in (set DRATEST_STATE to one): %w", err)
	}
	return filepath.Join(cache, "dratest", "clusters"), nil
}
