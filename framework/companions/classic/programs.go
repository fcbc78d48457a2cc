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

package classic

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/framework/companions/process"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
)

// Programs are the programs of classic DRA with their cluster.
type Programs struct {
	// Scheduler and Driver are the paths of dra-scheduler and dra-classic-driver.
	Scheduler, Driver string
	// Config is a scheduler configuration with one profile; its name and kubeconfig are replaced.
	Config []byte
	// Kubeconfig and Context name the cluster.
	Kubeconfig, Context string
}

var _ classicdra.Starter = Programs{}

// Find finds or builds the programs, without a cluster yet.
func Find(ctx context.Context, local images.Local) (Programs, error) {
	scheduler, config, err := local.OwnProgram(ctx, "dra-scheduler", "config-classic.yaml")
	if err != nil {
		return Programs{}, err
	}
	driver, _, err := local.OwnProgram(ctx, "dra-classic-driver")
	return Programs{Scheduler: scheduler, Driver: driver, Config: config[0]}, err
}

type instance struct {
	programs Programs
	logs     string // the directory of its log
	private  string // the directory of other files, with keys
	process  *process.Process
	// what it was started as, and the end of its log at that time.
	what  classicdra.ProcessConfig
	began int64
}

// Start starts a program with its log in logs. Files with keys are in a temporary directory; call Remove to remove
// them, even after an error.
func (p Programs) Start(logs string, what classicdra.ProcessConfig) (classicdra.Process, error) {
	i := &instance{programs: p, logs: logs}
	if err := what.Validate(); err != nil {
		return i, fmt.Errorf("start a program of classic DRA: %w", err)
	}
	if p.Scheduler == "" || p.Driver == "" || p.Kubeconfig == "" {
		return i, errors.New("start a program of classic DRA: there is none, or no kubeconfig for it")
	}
	var err error
	if i.private, err = os.MkdirTemp("", "dratest-classic-"); err != nil {
		return i, fmt.Errorf("start a program of classic DRA: %w", err)
	}
	return i, i.Begin(what)
}

// path is the path of a program's file other than the log.
func (i *instance) path(file string) string { return filepath.Join(i.private, file) }

// Begin starts or restarts the program with its state on disk.
func (i *instance) Begin(what classicdra.ProcessConfig) error {
	if i.private == "" {
		return errors.New("it has no directory for its files")
	}
	if err := i.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	if err := process.WriteKubeconfig(i.path("kubeconfig"), i.programs.Kubeconfig, i.programs.Context, what.User); err != nil {
		return fmt.Errorf("write a kubeconfig: %w", err)
	}
	program, args, err := i.programs.Driver, driverArgs(what.Driver, i.path("kubeconfig"), i.path(stateFile)), error(nil)
	if what.Scheduler != "" {
		program, args = i.programs.Scheduler, []string{"--config=" + i.path("config.yaml"), "--secure-port=0", "--v=4"}
		err = i.writeConfig(what.Scheduler)
	}
	if err != nil {
		return err
	}
	i.what = what
	if i.began, err = size(i.log()); err != nil {
		return err
	}
	i.process, err = process.Start(program, i.log(), args...)
	return err
}

func (i *instance) writeConfig(scheduler string) error {
	config, err := schedulerConfig(i.programs.Config, scheduler, i.path("kubeconfig"))
	if err != nil {
		return fmt.Errorf("configure the scheduler: %w", err)
	}
	return os.WriteFile(i.path("config.yaml"), config, 0o600)
}

func driverArgs(d classicdra.DriverConfig, kubeconfig, state string) []string {
	return append([]string{"controller", "--v=4",
		"--fail-allocate=" + strconv.Itoa(d.FailAllocate), "--fail-deallocate=" + strconv.Itoa(d.FailDeallocate), "--allocate-takes=" + d.Takes.String()},
		deviceArgs(d, kubeconfig, state)...)
}

// deviceArgs are arguments for the same devices in controller and simulation.
func deviceArgs(d classicdra.DriverConfig, kubeconfig, state string) []string {
	return []string{"--kubeconfig=" + kubeconfig, "--state-file=" + state,
		"--driver-name=" + d.Name, "--devices=" + strconv.Itoa(d.Devices), "--network=" + strconv.FormatBool(d.Network),
		"--nodes=kubernetes.io/hostname in (" + strings.Join(d.Nodes, ",") + ")", "--refuse-nodes=" + strings.Join(d.Refuse, ",")}
}

// Kill kills the program with SIGKILL, if it runs.
func (i *instance) Kill() error {
	p := i.process
	i.process = nil
	if p == nil {
		return nil
	}
	return p.Kill()
}

// Remove stops the program and removes all files except the log.
func (i *instance) Remove() error {
	err := i.Kill()
	if i.private == "" {
		return err
	}
	return errors.Join(err, os.RemoveAll(i.private))
}
