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
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/metrics"
	"github.com/dra-conformance/dratest/framework/testbed"
)

const (
	// bindingTimeout is more than all takes.
	bindingTimeout = "1h"
	// patience bounds each wait.
	patience = 10 * time.Minute
	mib      = 1 << 20
)

// scheduler is a process of this command.
type scheduler struct {
	process *exec.Cmd
	dir     string
	url     string
	client  *http.Client
}

// startScheduler starts a scheduler that asks an extender about pods which are to be held.
func startScheduler(ctx context.Context, out *progress.Printer, whose clusters.Implementation, b *testbed.Testbed, extender string) (s *scheduler, err error) {
	version, err := discovery.ToDiscoveryInterfaceWithContext(b.Client.Discovery()).ServerVersionWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the API server for its version: %w", err)
	}
	local := images.Local{Progress: out}
	var path string
	tree := clusters.SchedulerConfig(b.Kubeconfig)
	if whose == clusters.Own {
		var config []byte
		if path, config, err = local.SchedulerProgram(ctx, version.GitVersion, b.Kubeconfig); err != nil {
			return nil, err
		}
		tree = map[string]any{}
		if err := yaml.Unmarshal(config, &tree); err != nil {
			return nil, fmt.Errorf("read the own scheduler's configuration: %w", err)
		}
	} else if path, err = local.Program(ctx, version.GitVersion, "kube-scheduler"); err != nil {
		return nil, err
	}
	config, err := configured(tree, extender)
	if err != nil {
		return nil, err
	}
	s = &scheduler{}
	if s.dir, err = os.MkdirTemp("", "bench-prebind"); err != nil {
		return nil, err
	}
	if err := s.start(path, config, b.Kubeconfig); err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return s, s.connect(ctx, b.REST)
}

// configured is a scheduler's configuration with a long binding timeout, no limit of
// requests and the extender.
func configured(tree map[string]any, extender string) ([]byte, error) {
	// Through JSON, so that all values are of the types that it has.
	data, err := yaml.Marshal(tree)
	if err != nil {
		return nil, err
	}
	tree = map[string]any{}
	if err := yaml.Unmarshal(data, &tree); err != nil {
		return nil, err
	}
	profiles, _, err := unstructured.NestedSlice(tree, "profiles")
	if err != nil {
		return nil, err
	}
	if len(profiles) == 0 {
		return nil, errors.New("the configuration has no profile")
	}
	profile, _ := profiles[0].(map[string]any) // that of pods that choose none
	plugins, _, err := unstructured.NestedSlice(profile, "pluginConfig")
	if err != nil {
		return nil, err
	}
	if len(plugins) != 1 {
		return nil, fmt.Errorf("the configuration is of %d plugins, one was expected", len(plugins))
	}
	plugin, _ := plugins[0].(map[string]any)
	if err := unstructured.SetNestedField(plugin, bindingTimeout, "args", "bindingTimeout"); err != nil {
		return nil, err
	}
	profile["pluginConfig"], tree["profiles"] = plugins, profiles[:1]
	tree["leaderElection"] = map[string]any{"leaderElect": false}
	tree["extenders"] = []any{map[string]any{
		"urlPrefix": extender, "filterVerb": "filter", "nodeCacheCapable": true, "httpTimeout": patience.String(),
		"managedResources": []any{map[string]any{"name": heldResource, "ignoredByScheduler": true}},
	}}
	if err := unstructured.SetNestedField(tree, float64(1000), "clientConnection", "qps"); err != nil {
		return nil, err
	}
	if err := unstructured.SetNestedField(tree, float64(2000), "clientConnection", "burst"); err != nil {
		return nil, err
	}
	return yaml.Marshal(tree)
}

func (s *scheduler) start(path string, config []byte, kubeconfig string) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	file := filepath.Join(s.dir, "config.yaml")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the process has its own
	s.url = "https://127.0.0.1:" + strconv.Itoa(port)
	s.process = exec.Command(path, "--config="+file, "--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(port), "--v=2", //nolint:noctx // it is ended by stop
		"--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig, "--cert-dir="+s.dir)
	s.process.Stdout, s.process.Stderr = log, log
	return s.process.Start()
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // nothing is waited for
	if err != nil {
		return 0, err
	}
	address, _ := listener.Addr().(*net.TCPAddr)
	return address.Port, listener.Close()
}

// connect waits until the scheduler answers the administrator of the cluster.
func (s *scheduler) connect(ctx context.Context, config *rest.Config) error {
	c, err := rest.TLSConfigFor(config)
	if err != nil {
		return err
	}
	s.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		Certificates: c.Certificates, GetClientCertificate: c.GetClientCertificate, MinVersion: tls.VersionTLS12,
		InsecureSkipVerify: true, // it has made its own certificate, and is a process of this command
	}}}
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := s.look(ctx)
		return err == nil, nil //nolint:nilerr // it has not started yet
	})
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
		return fmt.Errorf("wait until the scheduler answers: %w; its log:\n%s", err, log)
	}
	return nil
}

func (s *scheduler) stop() error {
	if err := s.process.Process.Kill(); err != nil {
		return err
	}
	_ = s.process.Wait() // it was killed
	return os.RemoveAll(s.dir)
}

// state is what a scheduler says of itself.
type state struct {
	// inFlight are the events that the scheduling queue keeps for pods in flight.
	inFlight float64
	// resident is the memory of the process in bytes.
	resident float64
}

func (s *scheduler) look(ctx context.Context) (state, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/metrics", nil)
	if err != nil {
		return state{}, err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return state{}, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		return state{}, fmt.Errorf("metrics of the scheduler: %s: %s", response.Status, text)
	}
	families, err := metrics.Parse(response.Body)
	if err != nil {
		return state{}, err
	}
	var now state
	for _, metric := range families["scheduler_inflight_events"].GetMetric() {
		now.inFlight += metric.GetGauge().GetValue()
	}
	for _, metric := range families["process_resident_memory_bytes"].GetMetric() {
		now.resident = metric.GetGauge().GetValue()
	}
	if now.resident == 0 {
		return now, errors.New("the scheduler does not say how much memory it has")
	}
	return now, nil
}
