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

package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// startTimeout bounds the start of dockerd: usually two seconds, longer with dead containers to clean up.
const startTimeout = 60 * time.Second

// start starts dockerd in the background, where it outlives dratest, and returns when it is healthy.
// If it does not become healthy, it is terminated and the error has the end of its log. If dockerd is
// already running, start only waits.
func (d daemon) start(ctx context.Context) error {
	if pid := d.running(); pid != 0 {
		err := d.await(ctx, nil)
		if err != nil {
			return fmt.Errorf("wait for dockerd (process %d), which is running and does not answer; restart it: %w", pid, err)
		}
		return nil
	}
	if err := d.clearLeftovers(ctx); err != nil {
		return err
	}
	cmd, err := d.spawn()
	if err != nil {
		return err
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }() // while dratest runs, to leave no zombie
	if err := d.await(ctx, exited); err != nil {
		_ = d.end(context.WithoutCancel(ctx), cmd.Process.Pid)
		return fmt.Errorf("start dockerd: %w%s", err, d.logTail())
	}
	return nil
}

// spawn starts the process in its own session: neither Ctrl-C nor the end of this terminal must reach
// an engine used by others by then.
func (d daemon) spawn() (*exec.Cmd, error) {
	if err := os.MkdirAll(filepath.Dir(d.Log), 0o755); err != nil {
		return nil, fmt.Errorf("start dockerd: %w", err)
	}
	log, err := os.OpenFile(d.Log, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start dockerd: %w", err)
	}
	defer func() { _ = log.Close() }() // the process has its own descriptor
	//nolint:noctx // the engine must outlive ctx
	cmd := exec.Command(d.Program, d.Args...)
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	// dockerd needs iptables, runc and containerd from directories missing in PATH after su.
	cmd.Env = append(os.Environ(), "PATH="+os.Getenv("PATH")+":/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin")
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start dockerd: %w", err)
	}
	return cmd, nil
}

// await returns when the engine is healthy, its process has exited, ctx is done or startTimeout has passed.
func (d daemon) await(ctx context.Context, exited <-chan error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("no answer from %s within %s", d.Socket, startTimeout))
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-exited:
			if err == nil {
				err = errors.New("exit status 0")
			}
			return fmt.Errorf("dockerd ended at once: %w", err)
		case <-ticker.C:
			if d.ping(ctx) {
				return nil
			}
		}
	}
}

// ping asks the engine whether it is ready.
func (d daemon) ping(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", d.Socket)
		},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://docker/_ping", http.NoBody)
	if err != nil {
		return false
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, response.Body)
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// logTail returns the last lines of the log and its path, for an error message.
func (d daemon) logTail() string {
	text, err := os.ReadFile(d.Log)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("; %s ends with:\n%s", d.Log, lastLines(string(text), 5))
}

// lastLines returns at most n lines from the end of text, indented.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = lines[max(0, len(lines)-n):]
	return "    " + strings.Join(lines, "\n    ")
}
