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
	"strings"
	"testing"
)

func TestFile(t *testing.T) {
	tests := []struct {
		name, args, want string
		process          bool
	}{
		{"as containerd creates", "--root /r/moby --log /b/log.json --log-format json create --bundle /b --pid-file /b/init.pid abc", "/b/config.json", false},
		{"with systemd's cgroups", "--root /r --log /l --log-format json --systemd-cgroup create --bundle /b id", "/b/config.json", false},
		{"equals signs", "--root=/r --debug create --bundle=/b --no-pivot id", "/b/config.json", false},
		{"short flag", "run -d -b /b id", "/b/config.json", false},
		{"in the working directory", "run id", "config.json", false},
		{"as containerd executes", "--root /r --log /l --log-format json exec --process /t/p1 --console-socket /s --detach --pid-file /p id", "/t/p1", true},
		{"short process flag", "exec -t -p /t/p2 id", "/t/p2", true},
		{"process with equals sign", "exec --process=/t/p3 id", "/t/p3", true},
		{"flags of the command itself", "exec --cap CAP_CHOWN id sh -p /not/ours", "", true},
		{"version", "--version", "", false},
		{"state", "--root /r state id", "", false},
		{"delete with force", "--root /r --log /l delete --force id", "", false},
		{"root called create", "--root create state id", "", false},
		{"nothing", "", "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, process := parse(strings.Fields(test.args)).file()
			if got != test.want || process != test.process {
				t.Errorf("got %q, %v, want %q, %v", got, process, test.want, test.process)
			}
		})
	}
}
