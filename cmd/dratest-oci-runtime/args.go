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

package main

import (
	"path/filepath"
	"slices"
	"strings"
)

// switches are the flags without a value of runc and the subcommands relevant here. Any other flag is
// followed by its value unless it contains "=".
//
//nolint:gochecknoglobals // a table
var switches = []string{
	"debug", "systemd-cgroup", "help", "h", "version", "v",
	"no-pivot", "no-new-keyring", "detach", "d", "keep", "no-subreaper",
	"tty", "t", "no-new-privs", "ignore-paused",
}

// invocation is a parsed runc command line.
type invocation struct {
	command string
	flags   map[string]string
}

// parse reads runc's global flags, its subcommand and the subcommand's flags up to the first argument:
// a container's name can be followed by a command with its own flags.
func parse(args []string) invocation {
	_, rest := flags(args)
	if len(rest) == 0 {
		return invocation{}
	}
	set, _ := flags(rest[1:])
	return invocation{command: rest[0], flags: set}
}

// flags returns the flags at the start of args, and the remaining args.
func flags(args []string) (map[string]string, []string) {
	set := map[string]string{}
	for len(args) > 0 {
		arg := args[0]
		name := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		if name == arg || name == "" {
			return set, args
		}
		args = args[1:]
		name, value, hasValue := strings.Cut(name, "=")
		if !hasValue && !slices.Contains(switches, name) && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		set[name] = value
	}
	return set, nil
}

// file returns the file with the capabilities of a container or process; "" if there is none.
func (i invocation) file() (path string, isProcess bool) {
	switch i.command {
	case "create", "run":
		bundle := i.flags["bundle"]
		if bundle == "" {
			bundle = i.flags["b"]
		}
		return filepath.Join(bundle, "config.json"), false
	case "exec":
		process := i.flags["process"]
		if process == "" {
			process = i.flags["p"]
		}
		return process, true
	}
	return "", false
}
