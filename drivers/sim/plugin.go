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

package sim

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/klog/v2"
	cdispec "tags.cncf.io/container-device-interface/specs-go"

	"github.com/dra-conformance/dratest/drivers/sim/inject"
	"github.com/dra-conformance/dratest/drivers/sim/script"
	"github.com/dra-conformance/dratest/framework/spec"
)

// plugin is the driver behind an instance's script: correct, except for faults not visible in responses. The helper
// serializes its calls, also across two instances during an upgrade, and all state is in files, except the last
// problem and the offered devices.
type plugin struct {
	driver         string
	node           string
	client         kubernetes.Interface
	mutant         spec.MutantID
	store          cdiStore
	failed         atomic.Pointer[string]
	profile        atomic.Pointer[spec.Profile]
	healthAsked    atomic.Int64
	declinesHealth bool
	// limited: shares beyond the capacity of their device are refused. Drivers of cases leave that to the scheduler.
	limited bool
	work    work
}

var _ kubeletplugin.DRAPlugin = &plugin{}

// PrepareResourceClaims implements kubeletplugin.DRAPlugin.
func (p *plugin) PrepareResourceClaims(ctx context.Context, claims []*resourceapi.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	defer p.work.begin()()
	results := map[types.UID]kubeletplugin.PrepareResult{}
	for _, claim := range claims {
		broken := script.Beyond(ctx, claim.Name)
		if broken == spec.FaultBusy {
			toil(ctx)
		}
		devices, err := p.prepare(ctx, claim, broken)
		results[claim.UID] = kubeletplugin.PrepareResult{Err: err, Devices: devices}
	}
	return results, nil
}

// prepare makes a claim's devices known to containers; broken is the fault to inject, if any.
func (p *plugin) prepare(ctx context.Context, claim *resourceapi.ResourceClaim, broken spec.FaultKind) ([]kubeletplugin.Device, error) {
	if ctx.Err() != nil {
		// The claim may be unprepared before this call gets its turn, and must stay so.
		return nil, context.Cause(ctx)
	}
	injected, devices, err := inject.Claim(p.driver, claim)
	if err != nil || injected == nil {
		return nil, err
	}
	prepared, err := p.store.specs()
	if err != nil {
		return nil, err
	}
	if err := p.withdrawn(claim.UID, prepared, devices); err != nil {
		return nil, err
	}
	if err := inject.Conflict(injected, prepared); err != nil {
		return nil, err
	}
	if p.limited {
		if err := inject.Exceeded(injected, prepared, p.capacity); err != nil {
			return nil, err
		}
	}
	inject.Fault(injected, broken)
	if err := p.store.write(injected); err != nil {
		return nil, err
	}
	if p.profile.Load().DeviceStatus && p.mutant != spec.MutantNoStatus {
		if err := p.reportReady(ctx, claim); err != nil {
			return nil, err
		}
	}
	answer := make([]kubeletplugin.Device, 0, len(devices))
	for _, device := range devices {
		answer = append(answer, kubeletplugin.Device{
			Requests: []string{device.Request}, PoolName: device.Pool, DeviceName: device.Device,
			CDIDeviceIDs: []string{device.CDI}, ShareID: device.ShareID,
		})
	}
	return answer, nil
}

// UnprepareResourceClaims implements kubeletplugin.DRAPlugin.
func (p *plugin) UnprepareResourceClaims(_ context.Context, claims []kubeletplugin.NamespacedObject) (map[types.UID]error, error) {
	defer p.work.begin()()
	results := map[types.UID]error{}
	for _, claim := range claims {
		results[claim.UID] = p.store.remove(claim.UID)
		if p.mutant == spec.MutantUnprepareAll {
			results[claim.UID] = p.store.removeAll()
		}
	}
	return results, nil
}

// HandleError implements kubeletplugin.DRAPlugin: it stops nothing, since a case may want to see the error.
func (p *plugin) HandleError(ctx context.Context, err error, msg string) {
	klog.FromContext(ctx).Error(err, "Driver instance has a problem", "driver", p.driver, "while", msg)
	p.report(fmt.Errorf("%s: %w", msg, err))
}

// report keeps a background problem for the instance's status; nil clears it.
func (p *plugin) report(err error) {
	if err == nil {
		p.failed.Store(nil)
		return
	}
	text := err.Error()
	p.failed.Store(&text)
}

func (p *plugin) problem() string {
	if text := p.failed.Load(); text != nil {
		return *text
	}
	return ""
}

// withdrawn returns an error if a device of a claim not yet prepared has left its pool (KEP-4381, publishing node
// resources). Pools unknown to the driver are ignored: cases publish some under its name.
func (p *plugin) withdrawn(claim types.UID, prepared []*cdispec.Spec, devices []inject.Device) error {
	if slices.ContainsFunc(prepared, func(s *cdispec.Spec) bool { return inject.SpecUID(s) == claim }) {
		return nil
	}
	for _, pool := range p.profile.Load().Pools {
		for _, device := range devices {
			there := slices.ContainsFunc(pool.Devices, func(d resourceapi.Device) bool { return d.Name == device.Device })
			if device.Pool == poolName(p.node, pool) && !there {
				return fmt.Errorf("device %s of pool %s is not there any more", device.Device, device.Pool)
			}
		}
	}
	return nil
}

// capacity is that of a published device, or nil.
func (p *plugin) capacity(pool, name string) inject.Capacity {
	for _, published := range p.profile.Load().Pools {
		for _, device := range published.Devices {
			if pool != poolName(p.node, published) || device.Name != name {
				continue
			}
			has := inject.Capacity{}
			for name, c := range device.Capacity {
				has[name] = c.Value
			}
			return has
		}
	}
	return nil
}
