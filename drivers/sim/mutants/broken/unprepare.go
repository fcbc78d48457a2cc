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
	"fmt"
	"os"
	"path/filepath"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	cdispec "tags.cncf.io/container-device-interface/specs-go"

	"github.com/dra-conformance/dratest/drivers/sim/inject"
)

type device struct{ pool, name string }

// halfPrepared takes the devices of a claim although its preparation failed.
func halfPrepared(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	half := map[types.UID][]device{}
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			wanted := map[device]bool{}
			for _, r := range claim.Status.Allocation.Devices.Results {
				wanted[device{r.Pool, r.Device}] = true
			}
			for uid, devices := range half {
				for _, d := range devices {
					if uid != claim.UID && wanted[d] {
						return result{Err: fmt.Errorf("device %s of pool %s is already allocated to different claim %s", d.name, d.pool, uid)}
					}
				}
			}
			answer := good{driver}.prepare(ctx, claim)
			delete(half, claim.UID)
			if answer.Err != nil {
				for d := range wanted {
					half[claim.UID] = append(half[claim.UID], d)
				}
			}
			return answer
		},
		unprepare: func(ctx context.Context, claim object) error {
			if half[claim.UID] != nil {
				return nil
			}
			return good{driver}.unprepare(ctx, claim)
		},
	}
}

// noRollBack leaves a spec for the first of several devices when another one fails.
func noRollBack(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return broken{DRAPlugin: driver, prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
		answer := good{driver}.prepare(ctx, claim)
		if answer.Err == nil || len(claim.Status.Allocation.Devices.Results) < 2 {
			return answer
		}
		first := claim.DeepCopy()
		first.Status.Allocation.Devices.Results = first.Status.Allocation.Devices.Results[:1]
		if spec, _, err := inject.Claim(place.Driver, first); err == nil && spec != nil {
			spec.Devices[0].Name = "partial-" + spec.Devices[0].Name
			if err := write(filepath.Join(place.CDIDir, place.Driver+"-partial_"+string(claim.UID)+".json"), spec); err != nil {
				return result{Err: err}
			}
		}
		return answer
	}}
}

func unprepareNeedsClaim(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return broken{DRAPlugin: driver, unprepare: func(ctx context.Context, claim object) error {
		if _, err := place.Client.ResourceV1().ResourceClaims(claim.Namespace).Get(ctx, claim.Name, metav1.GetOptions{}); err != nil {
			return fmt.Errorf("get claim: %w", err)
		}
		return good{driver}.unprepare(ctx, claim)
	}}
}

// stalePrepare is slow for a claim's first prepare, and ignores the kubelet's timeout.
func stalePrepare(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return broken{DRAPlugin: driver, prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
		if !specMissing(place, claim.UID) {
			return good{driver}.prepare(ctx, claim)
		}
		done := make(chan result, 1)
		time.AfterFunc(slow, func() { done <- good{driver}.prepare(context.WithoutCancel(ctx), claim) })
		select {
		case answer := <-done:
			return answer
		case <-ctx.Done():
			return result{Err: ctx.Err()}
		}
	}}
}

// newPrepareFirst gives a device to the latest claim. Unpreparing the earlier one takes the device away.
func newPrepareFirst(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	heirs := map[types.UID]object{}
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			wanted, _, err := inject.Claim(place.Driver, claim)
			if err != nil || wanted == nil {
				return good{driver}.prepare(ctx, claim)
			}
			prepared, err := place.specs()
			if err != nil {
				return result{Err: err}
			}
			for uid, spec := range prepared {
				if inject.Conflict(wanted, []*cdispec.Spec{spec}) == nil {
					continue
				}
				if err := os.Remove(place.specFile(uid)); err != nil {
					return result{Err: err}
				}
				heirs[uid] = objectOf(claim)
			}
			return good{driver}.prepare(ctx, claim)
		},
		unprepare: func(ctx context.Context, claim object) error {
			if heir, ok := heirs[claim.UID]; ok {
				delete(heirs, claim.UID)
				if err := (good{driver}).unprepare(ctx, heir); err != nil {
					return err
				}
			}
			return good{driver}.unprepare(ctx, claim)
		},
	}
}

// unknownRefused rejects unprepare of a claim that is not prepared.
func unknownRefused(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return broken{DRAPlugin: driver, unprepare: func(ctx context.Context, claim object) error {
		if specMissing(place, claim.UID) {
			return fmt.Errorf("claim %s is not prepared", claim.UID)
		}
		return good{driver}.unprepare(ctx, claim)
	}}
}

// secondFileStays writes a second file for each claim, for node tools, and never removes it.
func secondFileStays(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return after(driver, func(claim *resourceapi.ResourceClaim, _ *result) error {
		return write(filepath.Join(place.CDIDir, place.Driver+"-tools_"+string(claim.UID)+".json"), &cdispec.Spec{
			Version: "0.5.0", Kind: place.Driver + "/tools",
			Devices: []cdispec.Device{{Name: string(claim.UID), ContainerEdits: cdispec.ContainerEdits{Env: []string{"tools=1"}}}},
		})
	})
}

// freedOneByOne undoes one device per call.
func freedOneByOne(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return broken{DRAPlugin: driver, unprepare: func(ctx context.Context, claim object) error {
		prepared, err := place.specs()
		if err != nil {
			return err
		}
		if spec := prepared[claim.UID]; spec != nil && len(spec.Devices) > 1 {
			spec.Devices = spec.Devices[1:]
			return write(place.specFile(claim.UID), spec)
		}
		return good{driver}.unprepare(ctx, claim)
	}}
}

// unprepareErrorsDropped logs errors at best.
func unprepareErrorsDropped(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return broken{DRAPlugin: driver, unprepare: func(ctx context.Context, claim object) error {
		_ = good{driver}.unprepare(ctx, claim)
		return nil
	}}
}
