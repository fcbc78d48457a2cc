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

package images

import (
	"github.com/dra-conformance/dratest/clusters/images/own"
	"github.com/dra-conformance/dratest/clusters/progress"
)

// Local provides what clusters run from this machine: node images, images of single
// components, programs. What is neither in the cache nor in a registry is built. The
// zero value works. Versions are those of Kubernetes as versions.Lookup takes them; for
// own components empty means the newest.
type Local struct {
	Progress *progress.Printer
	// Cache is the cache folder; empty means the default of cache.Open.
	Cache string
	// Where to look for the source of own components, or for their programs.
	Where own.Where
	// Overlay has changes to the source of own components by their paths in the checkout;
	// programs with them never take the place of those without.
	Overlay map[string][]byte
}

func (l Local) options(version string) Options {
	return Options{Version: version, Progress: l.Progress, Cache: l.Cache}
}
