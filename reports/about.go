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

package reports

import (
	"runtime/debug"

	"github.com/dra-conformance/dratest/reports/schema"
)

// SuiteVersion returns the build information of the binary.
func SuiteVersion() schema.Suite {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return schema.Suite{Version: "(devel)"}
	}
	s := schema.Suite{Version: info.Main.Version}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			s.Commit = setting.Value
		case "vcs.modified":
			s.Modified = setting.Value == "true"
		}
	}
	return s
}

// DriverOf describes a driver with an image.
func DriverOf(name, image string) schema.Driver { return schema.Driver{Name: name, Image: image} }
