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

package declarations

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed */driver.yaml */install.yaml
var shipped embed.FS

// A Driver can be installed by dratest itself.
type Driver struct {
	// Name is the name of its directory.
	Name        string
	Declaration Declaration
	// Manifests are to be applied to a cluster with the image on its nodes.
	Manifests []byte
}

// Shipped returns a driver dratest can install itself.
func Shipped(name string) (Driver, error) {
	d := Driver{Name: name}
	data, err := shipped.ReadFile(path.Join(name, "driver.yaml"))
	if err != nil {
		return d, fmt.Errorf("invalid driver %q: dratest can install %s", name, strings.Join(ShippedNames(), ", "))
	}
	if d.Declaration, err = Parse(data); err != nil {
		return d, fmt.Errorf("read the declaration of %s: %w", name, err)
	}
	if d.Manifests, err = shipped.ReadFile(path.Join(name, "install.yaml")); err != nil {
		return d, fmt.Errorf("read the manifests of %s: %w", name, err)
	}
	return d, nil
}

// ShippedNames are the drivers dratest can install itself.
func ShippedNames() []string {
	entries, err := shipped.ReadDir(".")
	if err != nil {
		return nil // it is part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
