package reports

import (
	"runtime/debug"

	"github.com/dra-conformance/dratest/reports/schema"
)

// SuiteVersion is what the binary knows about itself.
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

// DriverOf is what a report says about a driver with an image.
func DriverOf(name, image string) schema.Driver { return schema.Driver{Name: name, Image: image} }
