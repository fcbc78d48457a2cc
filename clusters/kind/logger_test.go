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

package kind

import (
	"bytes"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/clusters/progress"
)

func TestLoggerTellsSteps(t *testing.T) {
	var out bytes.Buffer
	l := newLogger(progress.New(&out))
	now := created()
	l.now = func() time.Time { now = now.Add(1500 * time.Millisecond); return now }
	l.Warn("cgroup v1 is deprecated in Kubernetes")
	l.V(0).Info("Creating cluster \"x\" ...\n")
	l.V(0).Infof(" • %s  ...\n", "Preparing nodes 📦 📦 ")
	l.V(1).Info("detail")
	l.V(0).Infof(" ✓ %s\n", "Preparing nodes 📦 📦 ")
	l.V(0).Infof(" • %s  ...\n", "Starting control-plane 🕹️")
	l.V(0).Infof(" ✗ %s\n", "Starting control-plane 🕹️")
	l.Warnf("%s is odd", "something")
	want := "     preparing nodes (1.5s)\n     something is odd\n"
	if out.String() != want {
		t.Errorf("got:\n%swant:\n%s", out.String(), want)
	}
}

func TestParseContainer(t *testing.T) {
	got, err := parseContainer("0a1b|x-worker|running|2026-11-21 04:55:41 +0000 UTC|x")
	want := container{ID: "0a1b", Name: "x-worker", Cluster: "x", Running: true, Created: time.Date(2026, 11, 21, 4, 55, 41, 0, time.UTC)}
	if err != nil || !got.Created.Equal(want.Created) {
		t.Fatalf("got %+v, %v", got, err)
	}
	got.Created = want.Created
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, line := range []string{"", "a|b|c", "a|b|running|yesterday|x"} {
		if _, err := parseContainer(line); err == nil {
			t.Errorf("%q is accepted", line)
		}
	}
}

func TestRoomForInotify(t *testing.T) {
	u := inotifyUsage{Limit: 128, Used: 60}
	if err := room(u, 2); err != nil {
		t.Errorf("two workers: %v", err)
	}
	if err := room(u, 3); err == nil {
		t.Error("three workers fit")
	}
}
