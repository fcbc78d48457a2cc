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

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/crash"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Feeder is an Engine supporting standard input for commands.
type Feeder interface {
	Engine
	Feed(ctx context.Context, stdin io.Reader, args ...string) (string, error)
}

// Crash kills the kubelets of all workers, each when it reaches a point. They must be this project's kubelets, since
// the points are recognized in their log, on nodes as local containers.
type Crash struct {
	Point  crash.Point
	Engine Feeder
	// Program returns the program dratest-crash.
	Program func(ctx context.Context) ([]byte, error)

	mutex   sync.Mutex
	watched bool
	died    map[string]int
}

var (
	_ soak.Fault  = &Crash{}
	_ soak.Killer = &Crash{}
)

// Name implements soak.Fault.
func (c *Crash) Name() string { return "kill kubelet at " + string(c.Point) }

// Died implements soak.Killer.
func (c *Crash) Died() map[string]int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return maps.Clone(c.died)
}

func (c *Crash) count(where crash.Point) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.died == nil {
		c.died = map[string]int{}
	}
	c.died[string(where)]++
}

// attempts bounds the kills until one kubelet died at the point: they continue for a moment after the log line.
const attempts = 10

// Do implements soak.Fault: it is done once a kubelet has died at the point. It does not wait for the next kubelets:
// the next kill only hits a working one.
func (c *Crash) Do(ctx context.Context, target soak.Target) error {
	if !c.watched && !c.Point.Held() {
		if err := c.watch(ctx, target.Workers); err != nil {
			return err
		}
		c.watched = true
	}
	for range attempts {
		before := c.Died()[string(c.Point)]
		if err := c.kill(ctx, target); err != nil || c.Died()[string(c.Point)] > before {
			return err
		}
	}
	return fmt.Errorf("%s: each of %d kills hit another point", c.Name(), attempts)
}

func (c *Crash) kill(ctx context.Context, target soak.Target) error {
	group, killing := errgroup.WithContext(ctx)
	for _, node := range target.Workers {
		group.Go(func() error {
			kill := c.killAtLine
			if c.Point.Held() {
				kill = c.killInCall
			}
			where, err := kill(killing, node, target)
			if err != nil {
				return fmt.Errorf("%s on node %s: %w", c.Name(), node, err)
			}
			c.count(where)
			return nil
		})
	}
	return group.Wait()
}

// Files of dratest-crash on a node.
const (
	crashDir     = "/run/dratest-crash"
	crashProgram = "/usr/local/lib/dratest/dratest-crash"
)

// watchKubelet pipes a kubelet's log through the program in its input, unless done already. The last ExecStart
// counts.
const watchKubelet = `set -e
dropin=/run/systemd/system/kubelet.service.d/99-dratest-crash.conf
[ ! -e "$dropin" ] || exit 0
mkdir -p "$1" "${2%/*}" "${dropin%/*}"
cat >"$2.new"; chmod 755 "$2.new"; mv "$2.new" "$2"
was=$(systemctl cat kubelet | sed -n 's/^ExecStart=//p' | tail -n 1)
printf '[Service]\nExecStart=\nExecStart=%s %s %s %s %s\n' "$2" "$1" "$3" "$was" "$4" >"$dropin"
systemctl daemon-reload && systemctl restart kubelet || { rm -f "$dropin"; exit 1; }`

// checkpoint is the kubelet's file of prepared claims.
const checkpoint = "/var/lib/kubelet/dra_manager_state"

func (c *Crash) watch(ctx context.Context, nodes []string) error {
	program, err := c.Program(ctx)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		_, err := c.Engine.Feed(ctx, bytes.NewReader(program), "exec", "--interactive", node,
			"sh", "-c", watchKubelet, "sh", crashDir, crashProgram, checkpoint, crash.Flags)
		if err != nil {
			return fmt.Errorf("watch the kubelet of node %s: %w", node, err)
		}
	}
	return nil
}

// killAtPoint orders a kill at point $2, with a restart if needed to reach it, and prints the result; nothing if the
// kubelet did not reach the point. A kubelet killed with the checkpoint $3 moved aside has to restore it first.
const killAtPoint = `cd "$1"; rm -f death
order() { echo "$1" >new; mv new order; }
if [ "$2" = checkpoint-aside ]; then
	timeout 90 sh -c 'while [ -e "$0" ]; do sleep 0.1; done' "$3.aside"
	order "$2"
	systemctl kill --kill-whom=main --signal=KILL kubelet
else
	order "$2"
fi
timeout 90 sh -c 'until [ -e death ]; do sleep 0.1; done' || rm -f order
cat death 2>/dev/null; true`

func (c *Crash) killAtLine(ctx context.Context, node string, target soak.Target) (crash.Point, error) {
	out, err := c.Engine.Run(ctx, "exec", node, "sh", "-c", killAtPoint, "sh", crashDir, string(c.Point), checkpoint)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(out) == "" {
		return "", fmt.Errorf("it did not come to %s", c.Point)
	}
	var death crash.Death
	if err := json.Unmarshal([]byte(out), &death); err != nil {
		return "", fmt.Errorf("read how it died from %q: %w", out, err)
	}
	where := death.At(func(claims []string) (called bool) {
		err = insist(ctx, func(ctx context.Context) error {
			status, err := agentapi.Status(ctx, target.Agents, node, target.Driver)
			called = got(status.Calls, death.Time, claims)
			return err
		})
		return called
	})
	return where, err
}

// insist retries until success: without a kubelet drivers cannot be reached.
func insist(ctx context.Context, do func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, Pause, true, func(ctx context.Context) (bool, error) {
		last = do(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%w: %w", err, last)
	}
	return nil
}

// clearTime bounds the wait for a driver after a kill.
const clearTime = time.Minute

// errWait: the driver is not in the expected state yet.
var errWait = errors.New("not yet")

// got reports whether the driver got a call for the claims from the kubelet that died at this time, not from an
// earlier or later one.
func got(calls []spec.Call, died time.Time, claims []string) bool {
	return slices.ContainsFunc(calls, func(call spec.Call) bool {
		after := call.Start.Sub(died)
		return after > -100*time.Millisecond && after < time.Second && slices.ContainsFunc(call.Claims, func(claim spec.ClaimCall) bool {
			return slices.Contains(claims, string(claim.UID))
		})
	})
}

// killInCall makes the driver hold the next call, and kills the kubelet then.
func (c *Crash) killInCall(ctx context.Context, node string, target soak.Target) (where crash.Point, err error) {
	method := spec.Prepare
	if c.Point == crash.DuringUnprepare {
		method = spec.Unprepare
	}
	if err := script(ctx, node, target, spec.Fault{Method: method, Kind: spec.FaultHang, Times: 1}); err != nil {
		return "", err
	}
	defer func() {
		// However the kill ends, no later call may be held.
		clearing, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearTime)
		defer cancel()
		err = errors.Join(err, script(clearing, node, target))
	}()
	call, err := awaitHeld(ctx, node, target, true)
	if err != nil {
		return "", fmt.Errorf("wait for %s: %w", method, err)
	}
	killed := time.Now()
	if err := (Kill{Component: "kubelet", Engine: c.Engine}).kill(ctx, []place{{name: node}}); err != nil {
		return "", err
	}
	if call, err = awaitHeld(ctx, node, target, false); err != nil {
		return "", fmt.Errorf("wait for the end of %s: %w", method, err)
	}
	if call.Start.Add(call.Took).Before(killed) {
		return "", fmt.Errorf("the call was given up before the kill: %s", call.Error)
	}
	return c.Point, nil
}

func script(ctx context.Context, node string, target soak.Target, faults ...spec.Fault) error {
	faults = append([]spec.Fault{}, faults...) // null would leave the script as it is
	return insist(ctx, func(ctx context.Context) error {
		return agentapi.Change(ctx, target.Agents, node, target.Driver, spec.DriverChange{Faults: &faults})
	})
}

// awaitHeld waits until the driver holds a call, or does not any more, and returns it.
func awaitHeld(ctx context.Context, node string, target soak.Target, held bool) (last spec.Call, err error) {
	err = insist(ctx, func(ctx context.Context) error {
		status, err := agentapi.Status(ctx, target.Agents, node, target.Driver)
		if err != nil {
			return err
		}
		last = spec.Call{}
		for _, call := range status.Calls {
			if call.Fault == spec.FaultHang {
				last = call
			}
		}
		if last.InProgress != held {
			return errWait
		}
		return nil
	})
	return last, err
}
