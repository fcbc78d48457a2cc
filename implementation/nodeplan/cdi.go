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

package nodeplan

import (
	"errors"
	"strings"
)

// checkCDI validates the name of a CDI device: vendor/class=device, according to the CDI
// specification. The runtime would reject it later, with an error that does not name the driver.
func checkCDI(id string) error {
	kind, device, ok := strings.Cut(id, "=")
	if !ok {
		return errors.New("no device name after a =")
	}
	vendor, class, ok := strings.Cut(kind, "/")
	if !ok {
		return errors.New("no class after a /")
	}
	switch {
	case !isName(vendor, isLetter, "_-."):
		return errors.New("bad vendor")
	case !isName(class, isLetter, "_-."):
		return errors.New("bad class")
	case !isName(device, isAlphanumeric, "_-.:"):
		return errors.New("bad device name")
	}
	return nil
}

// isName checks that a name starts with a valid first character, ends with a letter or digit and
// has only these and the extra characters between.
func isName(name string, first func(byte) bool, extra string) bool {
	if name == "" || !first(name[0]) || !isAlphanumeric(name[len(name)-1]) {
		return false
	}
	for i := range len(name) {
		if !isAlphanumeric(name[i]) && !strings.Contains(extra, name[i:i+1]) {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isAlphanumeric(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' }
