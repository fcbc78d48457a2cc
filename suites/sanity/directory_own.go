package sanity

import (
	"fmt"
	"path/filepath"

	"github.com/dra-conformance/dratest/drivers/registration"
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
func shared(all []registration.Socket, driver string) []string {
	own := map[string]bool{}
	for _, s := range all {
		if s.Driver == driver {
			own[filepath.Dir(s.Endpoint)] = true
		}
	}
	var problems []string
	for _, s := range all {
		if own[filepath.Dir(s.Path)] {
			problems = append(problems, fmt.Sprintf("%s, by which drivers register, is in it", s.Path))
		}
		if s.Driver != "" && s.Driver != driver && !s.IsProxy() && own[filepath.Dir(s.Endpoint)] {
			problems = append(problems, fmt.Sprintf("%s of driver %s is in it", s.Endpoint, s.Driver))
		}
	}
	return problems
}
