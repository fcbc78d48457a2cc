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

package broken

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// Process is a bug's behavior outside of claim calls; the zero value is correct.
type Process struct {
	// Undivided: pools are published as one slice.
	Undivided bool
	// PublishesOnce: deleted slices are not published again.
	PublishesOnce bool
	// LeavesSockets: each process has sockets of its own and leaves them.
	LeavesSockets bool
	// OneSocket: the sockets have the same names in each process.
	OneSocket bool
	// RemovesSlices: slices are deleted when the driver ends.
	RemovesSlices bool
	// StaysUnhealthy: a recovered device is still reported unhealthy.
	StaysUnhealthy bool
	// OnePool: the pools of all nodes have one name.
	OnePool bool
	// ForgetsUpdated: a deleted slice is not published again if the driver has updated it before.
	ForgetsUpdated bool
	// ForgetsCreated: a slice deleted soon after its creation is not published again.
	ForgetsCreated bool

	getInfo func(Place, *registerapi.PluginInfo) error
	// answer intercepts the services of the plugin API.
	answer    func(ctx context.Context, place Place, request any, handler grpc.UnaryHandler) (any, error)
	options   []kubeletplugin.Option
	companion func(context.Context, Place) (end func(), err error)
}

// and is the behavior of both.
func (p Process) and(other Process) Process {
	return Process{
		Undivided: p.Undivided || other.Undivided, PublishesOnce: p.PublishesOnce || other.PublishesOnce,
		LeavesSockets: p.LeavesSockets || other.LeavesSockets, OneSocket: p.OneSocket || other.OneSocket,
		RemovesSlices: p.RemovesSlices || other.RemovesSlices, StaysUnhealthy: p.StaysUnhealthy || other.StaysUnhealthy,
		OnePool: p.OnePool || other.OnePool, ForgetsUpdated: p.ForgetsUpdated || other.ForgetsUpdated,
		ForgetsCreated: p.ForgetsCreated || other.ForgetsCreated,
		getInfo: func(place Place, info *registerapi.PluginInfo) error {
			return errors.Join(p.told(place, info), other.told(place, info))
		},
		answer: func(ctx context.Context, place Place, request any, handler grpc.UnaryHandler) (any, error) {
			return other.answered(ctx, place, request, func(ctx context.Context, request any) (any, error) {
				return p.answered(ctx, place, request, handler)
			})
		},
		options: slices.Concat(p.options, other.options),
		companion: func(ctx context.Context, place Place) (func(), error) {
			end, err := p.Begin(ctx, place)
			if err != nil {
				return nil, err
			}
			endOther, err := other.Begin(ctx, place)
			if err != nil {
				end()
				return nil, err
			}
			return func() { endOther(); end() }, nil
		},
	}
}

// Options are for the library of drivers.
func (p Process) Options(place Place) []kubeletplugin.Option {
	return append([]kubeletplugin.Option{kubeletplugin.GRPCInterceptor(p.intercept(place))}, p.options...)
}

// Begin starts the process's additions beside the driver.
func (p Process) Begin(ctx context.Context, place Place) (end func(), err error) {
	if p.companion == nil {
		return func() {}, nil
	}
	return p.companion(ctx, place)
}

// intercept is between the kubelet and the driver's services.
func (p Process) intercept(place Place) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		answer, err := p.answered(ctx, place, request, handler)
		if info, ok := answer.(*registerapi.PluginInfo); ok && err == nil {
			err = p.told(place, info)
		}
		return answer, err
	}
}

func (p Process) answered(ctx context.Context, place Place, request any, handler grpc.UnaryHandler) (any, error) {
	if p.answer == nil {
		return handler(ctx, request)
	}
	return p.answer(ctx, place, request, handler)
}

// told changes what the kubelet learns of the driver.
func (p Process) told(place Place, info *registerapi.PluginInfo) error {
	if p.getInfo == nil {
		return nil
	}
	return p.getInfo(place, info)
}

// registersOnce is a driver requiring a restart of the kubelet with its own.
func registersOnce() func(Place, *registerapi.PluginInfo) error {
	var first sync.Once
	var refused error
	return func(place Place, _ *registerapi.PluginInfo) error {
		first.Do(func() {
			mark := filepath.Join(place.StateDir, "registered")
			if _, err := os.Stat(mark); err == nil {
				refused = errors.New("the registration is not served")
			} else {
				refused = os.WriteFile(mark, nil, 0o600)
			}
		})
		return refused
	}
}

// hardCodedRoot puts the socket below the kubelet's default root directory.
func hardCodedRoot(place Place, info *registerapi.PluginInfo) error {
	if below, ok := strings.CutPrefix(info.Endpoint, place.KubeletRoot); ok {
		info.Endpoint = "/var/lib/kubelet" + below
	}
	return nil
}
