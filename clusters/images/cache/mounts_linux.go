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

package cache

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// unmountBelow unmounts everything below dir, innermost first.
func unmountBelow(dir string) error {
	file, err := os.Open("/proc/self/mounts")
	if err != nil {
		return fmt.Errorf("read mounts: %w", err)
	}
	defer func() { _ = file.Close() }()
	var found []string
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		if fields := strings.Fields(scanner.Text()); len(fields) > 1 && strings.HasPrefix(fields[1], dir+"/") {
			found = append(found, fields[1])
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("read mounts: %w", err)
	}
	for _, mount := range slices.Backward(found) {
		if err := unix.Unmount(mount, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW); err != nil {
			return fmt.Errorf("unmount %s: %w", mount, err)
		}
	}
	return nil
}
