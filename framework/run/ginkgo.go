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

package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/dra-conformance/dratest/reports"
)

// logFile has Ginkgo's own output.
const logFile = reports.LogFile

const (
	// nodeGrace is a cancelled case's time to end and clean up.
	nodeGrace = 90 * time.Second
	// patience bounds the wait for a whole cancelled run.
	patience = 3 * time.Minute
	// gonePatience is the same without anything left to clean up.
	gonePatience = 20 * time.Second
)

// process is Ginkgo's command line, running in a process group of its own: Ctrl-C reaches only this process, which
// forwards it, so it arrives exactly once.
type process struct {
	cmd      *exec.Cmd
	lifeline io.Closer // the child ends when this closes
	done     chan error
	tmp      string
}

func startGinkgo(session Session, o Options) (_ *process, err error) {
	tmp, err := os.MkdirTemp("", tmpPrefix)
	if err != nil {
		return nil, fmt.Errorf("start Ginkgo: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(tmp)
		}
	}()
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the path of dratest: %w", err)
	}
	if session.WorkingDir, err = os.Getwd(); err != nil {
		return nil, fmt.Errorf("find the working directory: %w", err)
	}
	suite, sessionFile := filepath.Join(tmp, suiteName), filepath.Join(tmp, "session.json")
	if err := os.Symlink(self, suite); err != nil {
		return nil, fmt.Errorf("start Ginkgo: %w", err)
	}
	if err := session.write(sessionFile); err != nil {
		return nil, err
	}
	// A new run has removed it; otherwise it has the earlier run's output.
	log, err := os.OpenFile(filepath.Join(session.ReportDir, logFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("start Ginkgo: %w", err)
	}
	defer func() { _ = log.Close() }()

	//nolint:noctx // it is ended by signals, so that cases clean up
	cmd := exec.Command(self, append([]string{ginkgoArg}, ginkgoArgs(o, suite)...)...)
	cmd.Env = append(os.Environ(), sessionVariable+"="+sessionFile)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	lifeline, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start Ginkgo: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start Ginkgo: %w", err)
	}
	g := &process{cmd: cmd, lifeline: lifeline, done: make(chan error, 1), tmp: tmp}
	go func() { g.done <- cmd.Wait() }()
	return g, nil
}

func ginkgoArgs(o Options, suite string) []string {
	args := []string{
		"run", "--no-color", "-v", "--silence-skips",
		"--procs=" + strconv.Itoa(o.Parallel),
		"--seed=" + strconv.FormatInt(o.Seed, 10),
		"--timeout=" + o.Timeout.String(),
		"--grace-period=" + o.scaled(nodeGrace).String(),
		"--poll-progress-after=60s",
	}
	if o.FailFast {
		args = append(args, "--fail-fast")
	}
	return append(args, suite)
}

func (g *process) signal(s syscall.Signal) { _ = syscall.Kill(-g.cmd.Process.Pid, s) }

// stops end a run before Ginkgo does.
type stops struct {
	interrupted <-chan struct{} // asks for an orderly end
	again       <-chan struct{} // each value: do not wait any longer
	gone        <-chan error    // the cluster is
	limit       time.Duration   // Ginkgo keeps it itself if it can
	patience    time.Duration   // with cleanup after an interruption
}

// wait waits for Ginkgo's end, and requests and enforces it as of stops. It calls tick regularly. endedEarly is the
// reason of an early end, if any.
func (g *process) wait(s stops, tick func(time.Time)) (endedEarly string, err error) {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.NewTimer(s.limit + s.patience)
	defer deadline.Stop()
	for {
		select {
		case err := <-g.done:
			if errors.As(err, new(*exec.ExitError)) {
				err = errors.New(g.cmd.ProcessState.String())
			}
			return endedEarly, err
		case now := <-ticker.C:
			tick(now)
		case <-s.interrupted:
			endedEarly, s.interrupted = "the run was interrupted", nil
			g.signal(syscall.SIGINT)
			deadline.Reset(s.patience)
		case err := <-s.gone:
			endedEarly = "the cluster went away: " + err.Error()
			g.signal(syscall.SIGINT)
			deadline.Reset(gonePatience)
		case <-s.again:
			endedEarly = "the run was interrupted twice, which ends it without cleaning up"
			g.signal(syscall.SIGKILL)
		case <-deadline.C:
			if endedEarly == "" {
				endedEarly = "Ginkgo did not keep the time limit of " + s.limit.String()
			}
			g.signal(syscall.SIGKILL)
		}
	}
}

// close kills the remaining process group and removes its files.
func (g *process) close() {
	g.signal(syscall.SIGKILL)
	_ = g.lifeline.Close()
	_ = os.RemoveAll(g.tmp)
}
