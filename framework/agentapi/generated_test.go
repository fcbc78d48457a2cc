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

package agentapi

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

var (
	methodLine = regexp.MustCompile(`(?m)^  rpc (\w+)\((stream )?([\w.]+)\) returns \((stream )?([\w.]+)\);`)
	fieldLine  = regexp.MustCompile(`(?m)^  (repeated )?([\w.]+|map<string, bytes>) (\w+) = (\d+);`)
	block      = regexp.MustCompile(`(?ms)^message (\w+) \{\n(.*?)^\}`)
)

// TestGeneratedFilesAreCurrent compares agent.proto with what the Go files describe.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	content, err := os.ReadFile("agent.proto")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range methodLine.FindAllStringSubmatch(string(content), -1) {
		want = append(want, fmt.Sprintf("%s(%t %s) %t %s", m[1], m[2] != "", m[3], m[4] != "", m[5]))
	}
	for _, b := range block.FindAllStringSubmatch(string(content), -1) {
		for _, f := range fieldLine.FindAllStringSubmatch(b[2], -1) {
			want = append(want, fmt.Sprintf("%s.%s %s = %s", b[1], f[3], f[1]+f[2], f[4]))
		}
	}
	short := func(name protoreflect.FullName) string { return strings.TrimPrefix(string(name), "dratest.agent.") }
	methods := File_agent_proto.Services().ByName("Agent").Methods()
	for i := range methods.Len() {
		m := methods.Get(i)
		got = append(got, fmt.Sprintf("%s(%t %s) %t %s", m.Name(), m.IsStreamingClient(), short(m.Input().FullName()), m.IsStreamingServer(), short(m.Output().FullName())))
	}
	messages := File_agent_proto.Messages()
	for i := range messages.Len() {
		fields := messages.Get(i).Fields()
		for n := range fields.Len() {
			f := fields.Get(n)
			kind := f.Kind().String()
			switch {
			case f.IsMap():
				kind = "map<string, bytes>"
			case f.Message() != nil:
				kind = short(f.Message().FullName())
			}
			if f.IsList() {
				kind = "repeated " + kind
			}
			got = append(got, fmt.Sprintf("%s.%s %s = %d", messages.Get(i).Name(), f.Name(), kind, f.Number()))
		}
	}
	if !slices.Equal(want, got) {
		t.Errorf("run `make generate`; agent.proto has\n%s\nthe Go files have\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}
