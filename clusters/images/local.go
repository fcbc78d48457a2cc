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

// Local builds cluster components on this machine: node images, component images, programs. Anything missing from
// cache and registry is built. The zero value works. Versions are Kubernetes versions as for versions.Lookup; for own
// components empty means the newest.
type Local struct {
	Progress *progress.Printer
	// Cache is the cache directory; empty means the default of cache.Open.
	Cache string
	// Where locates the source of own components, or their programs.
	Where own.Where
	// Overlay replaces source files of own components by their paths in the checkout; such programs are cached
	// separately.
	Overlay map[string][]byte
}

func (l Local) options(version string) Options {
	return Options{Version: version, Progress: l.Progress, Cache: l.Cache}
}
