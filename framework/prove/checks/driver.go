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

package checks

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/drivers/sim/mutants"
)

const (
	driverName = "bugs.dra-conformance.github.io"
	// starting bounds the time until a driver opens its socket.
	starting = 20 * time.Second
)

// driver is dra-sim as one driver, with directories of its own.
type driver struct {
	program, kubeconfig, node, mutants string
	// root has the directories of kubelet and CDI.
	root    string
	log     *os.File
	process *exec.Cmd
	// previous has the next process be the previous release.
	previous bool
}

func newDriver(program, kubeconfig, node, mutants, log string) (*driver, error) {
	root, err := os.MkdirTemp("", "dratest")
	if err != nil {
		return nil, fmt.Errorf("make directories for a driver: %w", err)
	}
	d := &driver{program: program, kubeconfig: kubeconfig, node: node, mutants: mutants, root: root}
	for _, dir := range []string{d.cdi(), filepath.Join(d.kubelet(), "plugins"), filepath.Join(d.kubelet(), "plugins_registry")} {
		err = errors.Join(err, os.MkdirAll(dir, 0o700))
	}
	if err == nil {
		d.log, err = os.Create(log)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make directories for a driver: %w", err), os.RemoveAll(root))
	}
	return d, nil
}

func (d *driver) cdi() string     { return filepath.Join(d.root, "cdi") }
func (d *driver) kubelet() string { return filepath.Join(d.root, "k") }
func (d *driver) state() string   { return filepath.Join(d.kubelet(), "plugins", driverName) }

// sockets is the pattern of the driver's plugin sockets, one per process.
func (d *driver) sockets() string { return filepath.Join(d.state(), "dra*.sock") }

func (d *driver) description() LocalDriver {
	return LocalDriver{
		Driver: driverName, Node: d.node, Sockets: d.sockets(), CDIDir: d.cdi(), RegistryDir: filepath.Join(d.kubelet(), "plugins_registry"),
		Checkpoint: filepath.Join(d.state(), mutants.CheckpointFile), Restart: d.restart, Upgrade: d.replace(false), Downgrade: d.replace(true),
	}
}

func (d *driver) answers(ctx context.Context) bool {
	sockets, _ := filepath.Glob(d.sockets())
	for _, socket := range sockets {
		if conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket); err == nil {
			_ = conn.Close()
			return true
		}
	}
	return false
}

// start returns when the driver's socket is open.
func (d *driver) start(ctx context.Context) error {
	// Stop gracefully, even after ctx has ended.
	d.process = exec.CommandContext(context.WithoutCancel(ctx), d.program, "driver", "--name="+driverName, "--node="+d.node, "--kubelet-root="+d.kubelet(),
		"--cdi-dir="+d.cdi(), "--kubeconfig="+d.kubeconfig, "--pools=2", "--bug="+d.mutants, fmt.Sprintf("--previous=%t", d.previous))
	d.process.Stdout, d.process.Stderr = d.log, d.log
	if err := d.process.Start(); err != nil {
		return fmt.Errorf("start driver: %w", err)
	}
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, starting, true, func(ctx context.Context) (bool, error) {
		return d.answers(ctx), nil
	})
	if err != nil {
		return fmt.Errorf("wait for the driver's socket (see %s): %w", d.log.Name(), err)
	}
	return nil
}

func (d *driver) stop() error {
	if d.process == nil {
		return nil
	}
	err := d.process.Process.Signal(syscall.SIGTERM)
	if err == nil {
		err = d.process.Wait()
	}
	d.process = nil
	// The check evaluates the exit: some bugs end the driver.
	if exited := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exited) {
		return fmt.Errorf("stop driver (see %s): %w", d.log.Name(), err)
	}
	return nil
}

func (d *driver) restart(ctx context.Context) error {
	if err := d.stop(); err != nil {
		return err
	}
	return d.start(ctx)
}

// replace restarts the driver with this release or the previous one.
func (d *driver) replace(previous bool) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		d.previous = previous
		return d.restart(ctx)
	}
}

func (d *driver) remove() error {
	return errors.Join(d.stop(), d.log.Close(), os.RemoveAll(d.root))
}
