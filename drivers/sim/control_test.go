package sim

import (
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/drivers/sim/protocol"
)

func TestControlEndpoint(t *testing.T) {
	root := shortDir(t)
	startKubelet(t, root)
	agent, _ := newAgent(t, root)
	handler := agent.Handler()
	const path = protocol.Drivers + driver
	steps := []struct {
		method, path, body string
		status             int
		answer             string
	}{
		{"GET", protocol.Ready, "", 204, ""},
		{"GET", path, "", 404, "no such driver: " + driver},
		{"GET", protocol.Drivers, "", 200, "[]"},
		{"PUT", path, `{`, 400, "read request"},
		{"PUT", path, `{"name":"sim.example.com","pools":[]}`, 400, `unknown field \"pools\"`},
		{"PUT", path, `{"name":"other.example.com"}`, 400, "the path names driver"},
		{"PUT", path, `{"name":"sim.example.com","grpc":["v7"]}`, 400, `unknown version \"v7\"`},
		{"PUT", path, `{"name":"sim.example.com"}`, 204, ""},
		{"PUT", path, `{"name":"sim.example.com","grpc":["v1"]}`, 409, "another configuration"},
		{"GET", path, "", 200, `"registered":`},
		{"GET", protocol.Drivers, "", 200, `["sim.example.com"]`},
		{"PATCH", path, `{"faults":[{"method":"NodePrepareResources","kind":"Odd"}]}`, 400, `unknown kind \"Odd\"`},
		{"PATCH", path, `{"faults":[{"method":"NodePrepareResources","kind":"Hang"}]}`, 204, ""},
		{"PATCH", path, `{"announce":{"fails":["NodePrepareResources"]}}`, 400, "is not a call of the registration"},
		{"PATCH", protocol.Drivers + "x.example.com", `{}`, 404, "no such driver"},
		{"DELETE", path, "", 204, ""},
		{"GET", protocol.Drivers, "", 200, "[]"},
		{"DELETE", path, "", 204, ""},
		{"GET", protocol.EvidencePath + "?since=yesterday", "", 400, "since"},
		{"GET", protocol.EvidencePath, "", 200, `"missing"`},
		{"GET", protocol.PodResources + "ns/pod", "", 500, "list podresources"},
		{"GET", protocol.KubeletProgram, "", 500, "find the program behind"},
		{"POST", protocol.Restart, "", 204, ""},
		{"POST", protocol.KubeletDown, "", 400, `\"\" is no time up to 2m0s`},
		{"POST", protocol.KubeletDown + "?for=-1s", "", 400, "is no time"},
		{"POST", protocol.KubeletDown + "?for=3m", "", 400, "is no time"},
		{"GET", protocol.Restart, "", 405, ""},
		{"GET", protocol.RestartNode, "", 405, ""}, // no POST: nothing must depend on where a test's root is
		{"POST", path, "{}", 405, ""},
	}
	for _, step := range steps {
		t.Run(step.method+" "+step.path+" "+step.body, func(t *testing.T) {
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), step.method, step.path, strings.NewReader(step.body)))
			if answer.Code != step.status || !strings.Contains(answer.Body.String(), step.answer) {
				t.Errorf("got %d %s, want %d with %q", answer.Code, answer.Body, step.status, step.answer)
			}
			if answer.Header().Get(protocol.VersionHeader) != protocol.Version {
				t.Errorf("no protocol version in %v", answer.Header())
			}
		})
	}
}

// CDI specs are in either of the directories that container runtimes read.
func TestEvidenceOfBothCDIDirectories(t *testing.T) {
	root := t.TempDir()
	agent, _ := newAgent(t, root)
	paths := []string{filepath.Join(root, "etc", "cdi", "x.json"), filepath.Join(root, "cdi", "x.json")}
	for _, path := range paths {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(path), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	e, err := agent.collect(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"cdi/etc/cdi/x.json", "cdi" + paths[1]} {
		if got := string(e.Files[name]); got != paths[i] {
			t.Errorf("%s is %q, want %q; missing: %v", name, got, paths[i], e.Missing)
		}
	}
}
