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

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

// pollInterval is short because everything runs on this machine.
const pollInterval = 50 * time.Millisecond

// errPortTaken: another program took a port between its choice and its use.
var errPortTaken = errors.New("another program took a port of the control plane: try again")

type boot struct {
	parts
	api     api
	layout  layout
	record  *record
	started []started
}

type started struct {
	command command
	exited  <-chan struct{}
}

// start starts processes and remembers each at once.
func (b *boot) start(all ...command) error {
	for _, c := range all {
		p, exited, err := b.host.Start(c, b.layout.dir, b.log(c.name))
		if err != nil {
			return err
		}
		b.record.Processes = append(b.record.Processes, p)
		b.started = append(b.started, started{c, exited})
		if err := b.store.Save(b.record.Name, *b.record); err != nil {
			return err
		}
	}
	return nil
}

func (b *boot) log(name string) string { return b.layout.file(name + ".log") }

// rest starts the clients of the API server, creates the nodes in parallel, and waits until pods can be created and
// scheduled.
func (b *boot) rest(ctx context.Context, c clusters.Config, p programs, all []command) error {
	if len(p.controllersManifest) > 0 {
		if err := b.api.apply(ctx, p.controllersManifest); err != nil {
			return fmt.Errorf("apply the permissions of %s: %w", ownControllers, err)
		}
	}
	if err := b.start(all...); err != nil {
		return err
	}
	began := time.Now()
	group, together := errgroup.WithContext(ctx)
	group.Go(func() error { return b.waitHealthy(together) })
	group.Go(func() error { return createNodes(together, b.api.client, c) })
	if has(c, spec.Controllers) {
		group.Go(func() error { return b.waitForAccount(together) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := waitNodes(ctx, b.api.client, c.Nodes); err != nil {
		return err
	}
	b.progress.Printf("     other components and %d nodes (%s)", c.Nodes, time.Since(began).Round(100*time.Millisecond))
	return nil
}

// waitHealthy waits until all started processes are healthy. If one exits, the error includes its last log lines.
func (b *boot) waitHealthy(ctx context.Context) error {
	for _, s := range b.started {
		if s.command.health == "" {
			continue
		}
		var last error
		err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
			if err := b.ended(); err != nil {
				return false, err
			}
			last = b.api.healthy(ctx, s.command.health)
			return last == nil, nil
		})
		if err != nil && ctx.Err() != nil {
			return fmt.Errorf("wait for %s: %w: %w", s.command.name, context.Cause(ctx), last)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *boot) ended() error {
	for _, s := range b.started {
		select {
		case <-s.exited:
		default:
			continue
		}
		data, err := os.ReadFile(b.log(s.command.name))
		if err != nil {
			return fmt.Errorf("%s ended, and its log cannot be read: %w", s.command.name, err)
		}
		said := lastLogLines(string(data))
		if strings.Contains(said, "address already in use") {
			return fmt.Errorf("%s ended: %w\n%s", s.command.name, errPortTaken, said)
		}
		return fmt.Errorf("%s ended:\n%s", s.command.name, said)
	}
	return nil
}

// lastLogLines returns the log lines explaining the exit of a process: its errors, or the last lines.
func lastLogLines(log string) string {
	var errs, all []string
	for line := range strings.Lines(log) {
		line = strings.TrimRight(line, "\n")
		all = append(all, line)
		if strings.HasPrefix(line, "E") || strings.HasPrefix(line, "F") || strings.HasPrefix(line, "Error") ||
			strings.Contains(line, `"level":"fatal"`) || strings.Contains(line, `"level":"error"`) || strings.Contains(line, "command failed") {
			errs = append(errs, line)
		}
	}
	if len(errs) == 0 {
		errs = all
	}
	return "  " + strings.Join(errs[max(0, len(errs)-3):], "\n  ")
}

// waitForAccount waits for the default service account: pods are not admitted without it, and its presence shows that
// controllers work.
func (b *boot) waitForAccount(ctx context.Context) error {
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		_, err := b.api.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		if err == nil || !apierrors.IsNotFound(err) {
			return err == nil, err
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the service account of pods: %w", errors.Join(err, context.Cause(ctx)))
	}
	return nil
}
