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

package perf

import (
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/metrics"
)

// The clock agrees with getrusage(2) and is finer than a tick of /proc.
func TestCPUTime(t *testing.T) {
	begin := usedByThis(t)
	before, err := cpuTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for usedByThis(t)-begin < 3*time.Millisecond {
	}
	after, err := cpuTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if got, most := after-before, (usedByThis(t) - begin).Seconds(); got <= 0 || got > most {
		t.Errorf("%gs, of %gs that this process has used since", got, most)
	}
	if _, err := cpuTime(1 << 21); err == nil {
		t.Error("a process that is not there has CPU time")
	}
}

// A restarted scheduler responded with 403 until it had loaded its authorization rules.
func TestCollectAwaitsThatItMay(t *testing.T) {
	answers := []int{http.StatusForbidden, http.StatusUnauthorized, http.StatusOK}
	var asked int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("gc") == "1" {
			w.WriteHeader(answers[asked])
			asked++
		}
	}))
	defer server.Close()
	f := &fixture{web: server.Client(), processes: map[string]clusters.Process{scheduler: {URL: server.URL}}}
	if err := f.collect(t.Context()); err != nil || asked != len(answers) {
		t.Errorf("asked %d times: %v", asked, err)
	}
	answers, asked = []int{http.StatusNotFound}, 0
	if err := f.collect(t.Context()); err == nil || errors.Is(err, errMayNot) || asked != 1 {
		t.Errorf("asked %d times of what is not there: %v", asked, err)
	}
}

func usedByThis(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Plugin times are those of new samples of the DRA plugin only.
func TestPluginTimes(t *testing.T) {
	look := func(text string) counts {
		families, err := metrics.Parse(strings.NewReader("# TYPE scheduler_plugin_execution_duration_seconds histogram\n" + text))
		if err != nil {
			t.Fatal(err)
		}
		return counts{plugin: pluginTimes(families)}
	}
	line := func(plugin, point, sum, count string) string {
		labels := `{plugin="` + plugin + `",extension_point="` + point + `",status="Success"} `
		return "scheduler_plugin_execution_duration_seconds_sum" + labels + sum + "\nscheduler_plugin_execution_duration_seconds_count" + labels + count + "\n"
	}
	before := look(line("DRA", "PreFilter", "1", "10") + line("DRA", "Filter", "5", "100"))
	after := look(line("DRA", "PreFilter", "2", "14") + line("DRA", "Filter", "7", "400") + line("NodeName", "Filter", "9", "900"))
	if got, want := after.pluginSince(before), map[string]float64{"PreFilter": 0.25, "Filter": 0.5}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := before.pluginSince(before); len(got) > 0 {
		t.Errorf("without an attempt: %v", got)
	}
}
