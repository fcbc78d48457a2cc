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

package sanity

import (
	"fmt"
	"path/filepath"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

// directoryOwn is about: kubeletplugin.PluginDataDirectoryPath.
var directoryOwn = Check{Meta: spec.Meta{
	ID:       "sanity/directory-own",
	Checks:   "The driver's plugin socket has its own directory, apart from other drivers and the registration directory.",
	Requires: []spec.RequirementID{"kubeletplugin/data-directory-own"},
}, Source: "kubeletplugin.PluginDataDirectoryPath", Once: true, Run: func(t *T) {
	t.expect(shared(t.sockets(), t.Driver), "the driver's directory")
}}

// shared returns the other users of a plugin socket's directory.
func shared(all []nodefiles.Socket, driver string) []string {
	own := map[string]bool{}
	for _, s := range all {
		if s.Driver == driver {
			own[filepath.Dir(s.Endpoint)] = true
		}
	}
	var problems []string
	for _, s := range all {
		if own[filepath.Dir(s.Path)] {
			problems = append(problems, fmt.Sprintf("%s, used for registration, is in it", s.Path))
		}
		if s.Driver != "" && s.Driver != driver && !s.IsProxy() && own[filepath.Dir(s.Endpoint)] {
			problems = append(problems, fmt.Sprintf("%s of driver %s is in it", s.Endpoint, s.Driver))
		}
	}
	return problems
}
