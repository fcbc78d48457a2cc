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
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
)

func TestUnregistered(t *testing.T) {
	for name, tc := range map[string]struct {
		sockets []nodefiles.Socket
		message string
	}{
		"registered":        {[]nodefiles.Socket{{Path: "/r/d-reg.sock", Driver: "d", Endpoint: "/p"}}, ""},
		"beside a dead one": {[]nodefiles.Socket{{Path: "/r/d-1.sock", Dead: true, Problem: "refused"}, {Path: "/r/d-2.sock", Driver: "d"}}, ""},
		"nothing":           {nil, "no socket in the registry is the driver's"},
		"another driver":    {[]nodefiles.Socket{{Path: "/r/x.sock", Driver: "x"}}, "no socket in the registry is the driver's"},
		"elsewhere":         {[]nodefiles.Socket{{Path: "/r/d.sock", Driver: "d", Endpoint: "/var/p", Problem: "no such file"}}, "/r/d.sock refers to /var/p, which cannot be reached: no such file"},
		"silent":            {[]nodefiles.Socket{{Path: "/r/d.sock", Problem: "refused"}}, "/r/d.sock does not answer: refused"},
	} {
		if got := unregistered(tc.sockets, "d"); got != tc.message {
			t.Errorf("%s: %q, want %q", name, got, tc.message)
		}
	}
}

func TestDeadSockets(t *testing.T) {
	got := dead([]nodefiles.Socket{{Path: "/r/d-1.sock", Dead: true}, {Path: "/r/d-2.sock", Problem: "slow"}, {Path: "/r/x.sock", Dead: true}}, "d")
	if strings.Join(got, " ") != "/r/d-1.sock" {
		t.Errorf("got %v", got)
	}
}

func TestFilesOfKinds(t *testing.T) {
	for file, want := range map[string]bool{
		`{"kind":"v/c"}`: true, "kind: v/c\n": true, `{"kind":"v/other"}`: false, `{"kind":""}`: false, `{`: false,
	} {
		if got := ofKinds([]byte(file), []string{"v/c=a"}); got != want {
			t.Errorf("%s: %t, want %t", file, got, want)
		}
	}
}
