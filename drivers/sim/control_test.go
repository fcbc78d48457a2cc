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

package sim

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/dra-conformance/dratest/framework/agentapi"
)

func dialAgent(t *testing.T, agent *Agent) *grpc.ClientConn {
	t.Helper()
	listener, server := bufconn.Listen(1<<20), agent.Server()
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	conn, err := grpc.NewClient("passthrough:///agent", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(); server.Stop(); serving.Wait() })
	return conn
}

func TestControlEndpoint(t *testing.T) {
	root := shortDir(t)
	startKubelet(t, root)
	agent, _ := newAgent(t, root)
	conn := dialAgent(t, agent)
	all, one := &agentapi.NodeRequest{Node: node}, &agentapi.DriverRequest{Node: node, Driver: driver}
	with := func(json string) *agentapi.DriverSpec {
		return &agentapi.DriverSpec{Node: node, Driver: driver, Json: []byte(json)}
	}
	file := &agentapi.FileRequest{Node: node, Path: "/etc/passwd"}
	pod, static := &agentapi.PodRequest{Node: node, Namespace: "ns", Pod: "pod"}, &agentapi.StaticPod{Node: node, Dir: "/manifests", Name: "other", Json: []byte("{}")}
	down := func(pause time.Duration) *agentapi.StopKubeletRequest {
		return &agentapi.StopKubeletRequest{Node: node, Pause: durationpb.New(pause)}
	}
	steps := []struct {
		method  string
		request proto.Message
		code    codes.Code
		answer  string
	}{
		{"Ready", &emptypb.Empty{}, codes.OK, ""},
		{"GetDriverStatus", one, codes.NotFound, "no such driver: " + driver},
		{"ListDrivers", all, codes.OK, ""},
		{"ListDrivers", &agentapi.NodeRequest{Node: "other"}, codes.InvalidArgument, `this is the agent of node "` + node + `", not of node "other"`},
		{"StartDriver", with(`{`), codes.InvalidArgument, "read request"},
		{"StartDriver", with(`{"name":"sim.example.com","pools":[]}`), codes.InvalidArgument, `unknown field "pools"`},
		{"StartDriver", with(`{"name":"other.example.com"}`), codes.InvalidArgument, "the request names driver"},
		{"StartDriver", with(`{"name":"sim.example.com","grpc":["v7"]}`), codes.InvalidArgument, `unknown version "v7"`},
		{"StartDriver", with(`{"name":"sim.example.com"}`), codes.OK, ""},
		{"StartDriver", with(`{"name":"sim.example.com","grpc":["v1"]}`), codes.AlreadyExists, "another configuration"},
		{"GetDriverStatus", one, codes.OK, `"registered":`},
		{"ListDrivers", all, codes.OK, "sim.example.com"},
		{"ListRegistrations", all, codes.OK, "sim.example.com"},
		{"ChangeDriver", with(`{"faults":[{"method":"NodePrepareResources","kind":"Odd"}]}`), codes.InvalidArgument, `unknown kind "Odd"`},
		{"ChangeDriver", with(`{"faults":[{"method":"NodePrepareResources","kind":"Hang"}]}`), codes.OK, ""},
		{"ChangeDriver", with(`{"announce":{"fails":["NodePrepareResources"]}}`), codes.InvalidArgument, "is not a call of the registration"},
		{"ChangeDriver", &agentapi.DriverSpec{Node: node, Driver: "x.example.com", Json: []byte("{}")}, codes.NotFound, "no such driver"},
		{"StopDriver", one, codes.OK, ""},
		{"ListDrivers", all, codes.OK, ""},
		{"StopDriver", one, codes.OK, ""},
		{"StartProxy", with(`{"odd":1}`), codes.InvalidArgument, `unknown field "odd"`},
		{"StartProxy", with(`{}`), codes.Unknown, driver},
		{"GetProxyStatus", one, codes.NotFound, "there is no proxy before " + driver},
		{"StopProxy", one, codes.OK, ""},
		{"KillPlugin", one, codes.Unknown, driver},
		{"GetEvidence", &agentapi.EvidenceRequest{Node: node}, codes.OK, "kubelet.log: "},
		{"GetKubeletLines", &agentapi.LinesRequest{Node: node, Text: "text"}, codes.OK, "problem:"},
		{"GetPodResources", pod, codes.Unknown, "list podresources"},
		{"GetPodMemory", &agentapi.PodMemoryRequest{Node: node, Uid: "uid"}, codes.Unknown, "uid"},
		{"ListCDIDevices", &agentapi.ContainerRequest{Node: node, Container: "odd"}, codes.Unknown, "odd"},
		{"GetKubeletDigest", all, codes.Unknown, "find the program behind"},
		{"StopSandbox", pod, codes.Unknown, ""},
		{"PutStaticPod", static, codes.Unknown, "other"},
		{"PutStaticPod", &agentapi.StaticPod{Node: node, Json: []byte("{")}, codes.InvalidArgument, "read request"},
		{"RemoveStaticPod", static, codes.Unknown, "other"},
		{"DamageFile", file, codes.Unknown, "/etc/passwd"},
		{"RestoreFile", file, codes.OK, ""},
		{"ListSpecs", all, codes.OK, ""},
		{"RemoveSpec", file, codes.Unknown, "/etc/passwd"},
		{"ObstructSpec", file, codes.Unknown, "/etc/passwd"},
		{"RestartKubelet", all, codes.OK, ""},
		{"RemoveCheckpoint", all, codes.OK, ""},
		{"StopKubelet", &agentapi.StopKubeletRequest{Node: node}, codes.InvalidArgument, "0s is no time up to 2m0s"},
		{"StopKubelet", down(-time.Second), codes.InvalidArgument, "is no time"},
		{"StopKubelet", down(3 * time.Minute), codes.InvalidArgument, "is no time"},
		{"Odd", all, codes.Unimplemented, "unknown method"},
	}
	called := map[string]bool{}
	for _, step := range steps {
		called[step.method] = true
		t.Run(step.method+" "+step.answer, func(t *testing.T) {
			var header metadata.MD
			answer := answerOf(t, step.method)
			err := conn.Invoke(t.Context(), "/dratest.agent.Agent/"+step.method, step.request, answer, grpc.Header(&header))
			got := status.Convert(err).Message()
			if err == nil {
				got = textOf(answer)
			}
			if status.Code(err) != step.code || !strings.Contains(got, step.answer) || step.answer == "" && err == nil && got != "" {
				t.Errorf("got %s %s, want %s with %q", status.Code(err), got, step.code, step.answer)
			}
			if !slices.Equal(header.Get(agentapi.VersionHeader), []string{agentapi.Version}) {
				t.Errorf("no protocol version in %v", header)
			}
		})
	}
	for _, m := range agentapi.Agent_ServiceDesc.Methods {
		if !called[m.MethodName] && m.MethodName != "Reboot" { // nothing must depend on where a test's root is
			t.Errorf("%s is not tested", m.MethodName)
		}
	}
}

func answerOf(t *testing.T, method string) proto.Message {
	t.Helper()
	m := agentapi.File_agent_proto.Services().ByName("Agent").Methods().ByName(protoreflect.Name(method))
	if m == nil {
		return &emptypb.Empty{}
	}
	answer, err := protoregistry.GlobalTypes.FindMessageByName(m.Output().FullName())
	if err != nil {
		t.Fatal(err)
	}
	return answer.New().Interface()
}

func textOf(answer proto.Message) string {
	if j, ok := answer.(*agentapi.JSON); ok {
		return string(j.Json)
	}
	return prototext.Format(answer)
}

// CDI specs are in either of the container runtimes' directories.
func TestEvidenceOfBothCDIDirectories(t *testing.T) {
	root := t.TempDir()
	agent, _ := newAgent(t, root)
	paths := []string{filepath.Join(root, "etc", "cdi", "x.json"), filepath.Join(root, "cdi", "x.json")}
	for _, path := range paths {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(path), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	e, err := control{Agent: agent}.GetEvidence(t.Context(), &agentapi.EvidenceRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"cdi/etc/cdi/x.json", "cdi" + paths[1]} {
		if got := string(e.Files[name]); got != paths[i] {
			t.Errorf("%s is %q, want %q; missing: %v", name, got, paths[i], e.Missing)
		}
	}
}
