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

package kubelet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
)

// Replacement is the kubelet to run.
type Replacement struct {
	// Program is Stock, or a path returned by Place.
	Program string
	// Version is the expected reported version, as "v1.37.1".
	Version string
	// Timeout bounds the wait for the new kubelet; zero means two minutes. Then the old one is restored.
	Timeout time.Duration
}

// Replaced is the result of Replace.
type Replaced struct {
	// From and To are programs.
	From, To string
	// Downtime is the maximum time without a working kubelet; zero if the right one ran already.
	Downtime time.Duration
}

const (
	pollInterval   = 100 * time.Millisecond
	defaultTimeout = 2 * time.Minute
	// undoTimeout bounds restoring the old kubelet, and the wait for it.
	undoTimeout = time.Minute
)

// Replace installs a program as a node's kubelet and returns once it is healthy, reports the version, and the API
// server shows the node as Ready. When ctx ends, either the old or the new one is installed and running or starting.
// If the new kubelet does not become healthy, the old one is restored and works when Replace returns, unless the
// error says otherwise; the error has the last log lines of the new one.
func Replace(ctx context.Context, on Node, client kubernetes.Interface, r Replacement) (Replaced, error) {
	old, err := InPlace(ctx, on)
	if err != nil {
		return Replaced{}, err
	}
	done := Replaced{From: old, To: r.Program}
	w := waiting{on: on, client: client, replacement: r}
	before, err := ask(ctx, on)
	if err != nil {
		return Replaced{}, err
	}
	if old == r.Program && before.works() {
		return done, w.wait(ctx)
	}
	was := Replacement{Program: old, Timeout: undoTimeout}
	if n, err := version(ctx, client, on.String()); err == nil {
		was.Version = n
	}
	w.old, w.lastOld = before.process, time.Now()
	if err := put(ctx, on, r.Program); err != nil {
		return Replaced{}, errors.Join(err, putBack(ctx, on, client, was))
	}
	if err := w.wait(ctx); err != nil {
		if ctx.Err() != nil {
			return Replaced{}, fmt.Errorf("%w (%s is in place as the kubelet of %s)", err, nameOf(r.Program), on)
		}
		return Replaced{}, errors.Join(err, putBack(ctx, on, client, was))
	}
	done.Downtime = w.works.Sub(w.lastOld)
	return done, nil
}

// putBack restores the old kubelet, even after ctx has ended, and waits until it works. It always returns an error,
// with the outcome.
func putBack(ctx context.Context, on Node, client kubernetes.Interface, was Replacement) error {
	putting, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	if err := put(putting, on, was.Program); err != nil {
		return fmt.Errorf("put the old kubelet back: %w", err)
	}
	if was.Version == "" {
		return errors.New("the old kubelet was put back; it did not answer before either")
	}
	w := waiting{on: on, client: client, replacement: was}
	if err := w.wait(ctx); err != nil {
		return fmt.Errorf("the old kubelet was put back, but: %w", err)
	}
	return errors.New("the old kubelet was put back, and works again")
}

type waiting struct {
	on          Node
	client      kubernetes.Interface
	replacement Replacement
	old         string // the process before

	lastOld, works time.Time
	seen           string
}

func (w *waiting) wait(ctx context.Context) error {
	timeout := w.replacement.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	err := wait.PollUntilContextTimeout(ctx, pollInterval, timeout, true, func(ctx context.Context) (bool, error) {
		if w.works.IsZero() && !w.worksNow(ctx) {
			return false, nil
		}
		ok, why := shown(ctx, w.client, w.on.String(), w.replacement.Version)
		w.saw(ctx, why)
		return ok, nil
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("wait for the kubelet of %s: %w: last seen: %s", w.on, context.Cause(ctx), w.seen)
	default:
		return fmt.Errorf("%w: the kubelet of %s (%s) was not working after %s: last seen: %s%s",
			clusters.ErrEnvironment, w.on, nameOf(w.replacement.Program), timeout, w.seen, w.lastLogLines(ctx))
	}
}

// saw keeps the last observation, unless it is only the timeout.
func (w *waiting) saw(ctx context.Context, text string) {
	if ctx.Err() == nil {
		w.seen = text
	}
}

// worksNow checks the node and its kubelet's version.
func (w *waiting) worksNow(ctx context.Context) bool {
	asked := time.Now()
	a, err := ask(ctx, w.on)
	if err != nil {
		w.saw(ctx, err.Error())
		return false
	}
	w.seen = a.String()
	if w.old != "" && a.process == w.old {
		if a.healthy {
			w.lastOld = asked
		}
		return false
	}
	if !a.works() {
		return false
	}
	healthy := time.Now()
	has, err := version(ctx, w.client, w.on.String())
	if err != nil {
		w.saw(ctx, err.Error())
		return false
	}
	if has != w.replacement.Version {
		w.seen = "a kubelet of " + has + " answers"
		return false
	}
	w.works = healthy
	return true
}

// lastLogLines returns the kubelet's last log lines.
func (w *waiting) lastLogLines(ctx context.Context) string {
	out, err := w.on.Run(ctx, nil, "journalctl", "--unit=kubelet", "--output=cat", "--no-pager", "--lines=5")
	if err != nil || strings.TrimSpace(out) == "" {
		return ""
	}
	return "; its log ends:\n" + strings.TrimSpace(out)
}
