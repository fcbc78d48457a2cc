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
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/drivers/nodefiles"
	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/suites"
)

const (
	// assets is the directory with the programs of controller-runtime's envtest.
	assets = "KUBEBUILDER_ASSETS"
	// driverLog is the driver's output in the report directory.
	driverLog = "driver.log"
	// driverExit bounds the driver's graceful shutdown.
	driverExit = 10 * time.Second
)

// completeNoCluster checks the flags for --no-cluster. The kubelet's root directory is the one with the endpoint.
func (f *sanityFlags) completeNoCluster() error {
	switch {
	case !f.noCluster && f.command != "":
		return errors.New("--command: needs --no-cluster; --restart restarts a driver in a cluster")
	case !f.noCluster:
		return nil
	case f.kubeconfig != "" || f.inCluster || f.restart != "":
		return errors.New("--no-cluster: leave --kubeconfig, --in-cluster and --restart out")
	case f.command == "":
		return errors.New("--command is missing: with --no-cluster, the driver is started once its API server runs")
	}
	root, plugins := filepath.Split(filepath.Dir(filepath.Dir(f.endpoint)))
	if f.endpoint == "" || plugins != "plugins" {
		return fmt.Errorf("--endpoint %s: with --no-cluster, must be unix:///ROOT/plugins/DRIVER/SOCKET, for any directory ROOT", f.endpoint)
	}
	f.kubeletRoot = filepath.Clean(root)
	return nil
}

// config returns the configuration of the cluster with the driver.
func (f *sanityFlags) config(out io.Writer) testbed.Config {
	c := testbed.Config{Kubeconfig: f.kubeconfig, Context: f.context, InCluster: f.inCluster, Out: out}
	if !f.noCluster {
		return c
	}
	c.Cluster = clusters.Config{
		Name: fmt.Sprintf("sanity-%d", os.Getpid()), Provider: clusters.ProviderControlPlane,
		Without: []string{spec.Scheduler, spec.Controllers},
	}
	if dir := os.Getenv(assets); dir != "" {
		c.Cluster.Programs = map[string]string{"etcd": filepath.Join(dir, "etcd"), "kube-apiserver": filepath.Join(dir, "kube-apiserver")}
	}
	return c
}

// startDriver creates the driver's node, acts as its kubelet and starts the driver. Call end in any case.
func (f *sanityFlags) startDriver(ctx context.Context, bed *testbed.Testbed, dir string) (end func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	end = cancel
	registry := filepath.Join(f.kubeletRoot, "plugins_registry")
	cdi := slices.DeleteFunc(slices.Clone(f.cdiDirs), func(dir string) bool { return dir == nodefiles.CDIStatic || dir == nodefiles.CDIDynamic })
	for _, path := range append(cdi, registry, filepath.Dir(f.endpoint)) {
		if err := os.MkdirAll(path, 0o750); err != nil {
			return end, withCode(codeEnvironment, fmt.Errorf("make a directory of the driver: %w", err))
		}
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: f.node, Labels: map[string]string{spec.LabelManagedBy: spec.ManagedBy, corev1.LabelHostname: f.node}}}
	if _, err := bed.Client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
		return end, fmt.Errorf("create the driver's node: %w", err)
	}
	log, err := os.Create(filepath.Join(dir, driverLog))
	if err != nil {
		return end, fmt.Errorf("create the driver's log: %w", err)
	}
	go nodefiles.Register(ctx, registry, f.driver)
	f.process = &driverProcess{command: f.command, log: log, answers: f.local().Answers, limit: f.publishTimeout, env: append(os.Environ(), "KUBECONFIG="+bed.Kubeconfig, spec.HookNode+"="+f.node)}
	return func() {
		_ = f.process.stop()
		cancel()
		_ = log.Close()
	}, f.process.start(ctx)
}

// driverProcess is a driver run by dratest.
type driverProcess struct {
	command string
	env     []string
	log     *os.File
	// answers reports whether the driver's socket is open; start waits limit for it.
	answers func(context.Context) bool
	limit   time.Duration

	process *exec.Cmd
	exited  <-chan struct{}
}

// start starts the driver and waits until its socket is open.
func (p *driverProcess) start(ctx context.Context) error {
	if p.answers(ctx) {
		return withCode(codeEnvironment, errors.New("another process has the driver's socket (--endpoint) open: end it first"))
	}
	//nolint:noctx // ended with SIGTERM, even after ctx has ended
	p.process = exec.Command("sh", "-c", p.command)
	p.process.Env, p.process.Stdout, p.process.Stderr = p.env, p.log, p.log
	p.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.process.Start(); err != nil {
		return withCode(codeEnvironment, fmt.Errorf("start the driver: %w", err))
	}
	var failed error
	exited := make(chan struct{})
	p.exited = exited
	go func(c *exec.Cmd) {
		failed = c.Wait()
		close(exited)
	}(p.process)
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	late := time.NewTimer(p.limit)
	defer late.Stop()
	for !p.answers(ctx) {
		select {
		case <-exited:
			_ = p.stop() // its children
			return withCode(codeEnvironment, errors.Join(fmt.Errorf("the driver exited, see %s", p.log.Name()), failed))
		case <-late.C:
			return withCode(codeEnvironment, fmt.Errorf("the driver's socket is not open after %s (--publish-timeout); if its name differs from that of --endpoint, use a pattern such as dra*.sock; see %s", p.limit, p.log.Name()))
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
	return nil
}

// stop ends the driver and its children with SIGTERM, and kills those that do not exit.
func (p *driverProcess) stop() error {
	if p.process == nil {
		return nil
	}
	group := -p.process.Process.Pid
	p.process = nil
	_ = syscall.Kill(group, syscall.SIGTERM)
	late := time.After(driverExit)
	select {
	case <-p.exited: // the checks judge the driver, not its exit code
	case <-late:
		_ = syscall.Kill(group, syscall.SIGKILL)
		<-p.exited
		return fmt.Errorf("the driver did not exit within %s of SIGTERM", driverExit)
	}
	// A shell may have exited before the driver that it has started.
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for syscall.Kill(group, 0) == nil {
		select {
		case <-ticker.C:
		case <-late:
			_ = syscall.Kill(group, syscall.SIGKILL)
			return nil
		}
	}
	return nil
}

func (p *driverProcess) restart(ctx context.Context) error {
	return errors.Join(p.stop(), p.start(ctx))
}

// printKubeletCases lists the certification cases needing a kubelet.
func printKubeletCases(out io.Writer) {
	var ids []string
	for _, c := range certify.Cases(suites.All()) {
		ids = append(ids, c.ID)
	}
	_, _ = fmt.Fprintf(out, "without a kubelet, %d cases of \"dratest certify\" are not checked: %s\n\n", len(ids), strings.Join(ids, ", "))
}
