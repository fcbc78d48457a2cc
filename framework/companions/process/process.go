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

package process

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// Process is a started program.
type Process struct {
	command *exec.Cmd
	ended   chan struct{}
}

// Start starts a program and appends its output to the file log. It outlives the step of the case, until Kill.
func Start(program, log string, args ...string) (*Process, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	p := &Process{command: exec.Command(program, args...), ended: make(chan struct{})} //nolint:gosec,noctx // the project's own, and as the comment says
	p.command.Stdout, p.command.Stderr = file, file
	p.command.SysProcAttr = withParent()
	started := make(chan error)
	go func() {
		defer close(p.ended)
		// The process ends with its parent thread.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.command.Start()
		started <- err
		if err == nil {
			_ = p.command.Wait() // its log has the exit
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return p, nil
}

// Kill kills the process with SIGKILL and returns when it has ended. The error is os.ErrProcessDone if it had exited
// before; its log has the reason.
func (p *Process) Kill() error {
	err := p.command.Process.Kill()
	<-p.ended
	return err
}

// ID is the process's.
func (p *Process) ID() int { return p.command.Process.Pid }
