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
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/soak"
)

// apiServer is the component stopped by Away.
const apiServer = "apiserver"

// Away makes the API servers of all control plane nodes unavailable for a minute, in clusters with nodes as local
// containers. At first they are frozen, so requests and watches hang. Then they and their successors are killed with
// SIGKILL, so requests are refused.
type Away struct {
	Engine Engine
}

var (
	_ soak.Fault   = Away{}
	_ soak.Blinder = Away{}
)

// Name implements soak.Fault.
func (Away) Name() string { return "kill " + apiServer }

// Blinds implements soak.Blinder.
func (Away) Blinds() {}

const (
	// frozenTime ends before the kubelet's liveness probe has failed often enough.
	frozenTime = 30 * time.Second
	awayTime   = time.Minute
	// killEvery is less than an API server's time to answer anything.
	killEvery = 500 * time.Millisecond
	// returnTime bounds the wait for the API server to be ready again. Kubelets back off up to five minutes before they
	// restart it.
	returnTime = 7 * time.Minute
)

// Do returns when all API servers are ready again, even after ctx has ended: nothing can be cleaned up without them.
func (a Away) Do(ctx context.Context, target soak.Target) error {
	nodes, err := Kill{Component: apiServer, Engine: a.Engine}.where(ctx, target.Client)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), awayTime+returnTime)
	defer cancel()
	var group errgroup.Group // one node's trouble is no reason to leave another's API server frozen
	for _, n := range nodes {
		group.Go(func() error {
			if err := a.takeAway(ctx, n); err != nil {
				return fmt.Errorf("take the API server of node %s away: %w", n.name, err)
			}
			return a.awaitReady(ctx, n)
		})
	}
	return group.Wait()
}

func (a Away) takeAway(ctx context.Context, n place) error {
	began := time.Now()
	out, err := a.signal(ctx, n, "STOP")
	if err == nil && out == "" {
		err = errors.New("it does not run")
	}
	if err != nil {
		return err
	}
	if err := Sleep(ctx, frozenTime); err != nil {
		return err
	}
	for time.Since(began) < awayTime {
		if _, err := a.signal(ctx, n, "KILL"); err != nil {
			return err
		}
		if err := Sleep(ctx, killEvery); err != nil {
			return err
		}
	}
	return nil
}

// signal sends a signal to the API server, and returns output if it ran.
func (a Away) signal(ctx context.Context, n place, signal string) (string, error) {
	out, err := a.Engine.Run(ctx, "exec", n.name, "sh", "-c", signalPod, "sh", signal, n.pod)
	return strings.TrimSpace(out), err
}

// Sleep waits for a time, or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// askReady prints "ok" if the node's own API server is ready.
const askReady = `kubectl --kubeconfig /etc/kubernetes/admin.conf --server https://127.0.0.1:6443 --insecure-skip-tls-verify \
  --request-timeout 3s get --raw /readyz 2>/dev/null; true`

func (a Away) awaitReady(ctx context.Context, n place) error {
	err := wait.PollUntilContextCancel(ctx, Pause, true, func(ctx context.Context) (bool, error) {
		out, err := a.Engine.Run(ctx, "exec", n.name, "sh", "-c", askReady)
		return strings.TrimSpace(out) == "ok", err
	})
	if err != nil {
		return fmt.Errorf("wait until the API server of node %s is ready: %w", n.name, err)
	}
	return nil
}
