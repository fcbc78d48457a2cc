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
	"maps"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"
)

// onlyErrors answers for unprepared claims only on failure.
type onlyErrors struct{ kubeletplugin.DRAPlugin }

// UnprepareResourceClaims implements kubeletplugin.DRAPlugin.
func (d onlyErrors) UnprepareResourceClaims(ctx context.Context, claims []object) (map[types.UID]error, error) {
	results, err := d.DRAPlugin.UnprepareResourceClaims(ctx, claims)
	maps.DeleteFunc(results, func(_ types.UID, err error) bool { return err == nil })
	return results, err
}

// allOrNothing fails the call if one of its claims cannot be prepared.
type allOrNothing struct{ kubeletplugin.DRAPlugin }

// PrepareResourceClaims implements kubeletplugin.DRAPlugin.
func (d allOrNothing) PrepareResourceClaims(ctx context.Context, claims []*resourceapi.ResourceClaim) (map[types.UID]result, error) {
	results, err := d.DRAPlugin.PrepareResourceClaims(ctx, claims)
	for _, uid := range slices.Sorted(maps.Keys(results)) {
		if answer := results[uid]; answer.Err != nil {
			return nil, answer.Err
		}
	}
	return results, err
}

// healthFails returns another error than the library expects for unsupported health.
type healthFails struct{ kubeletplugin.DRAPlugin }

// WatchHealthStatus implements kubeletplugin.DRAPlugin.
func (healthFails) WatchHealthStatus(context.Context, chan<- kubeletplugin.DeviceHealthReport) error {
	return errors.New("this driver does not know how its devices are")
}

// allRequests reports each device for all requests of its claim.
func allRequests(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return after(driver, func(_ *resourceapi.ResourceClaim, answer *result) error {
		var all []string
		for _, device := range answer.Devices {
			all = append(all, device.Requests...)
		}
		for i := range answer.Devices {
			answer.Devices[i].Requests = all
		}
		return nil
	})
}

// unqualifiedNames omits vendor and class in the names of CDI devices.
func unqualifiedNames(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return after(driver, func(_ *resourceapi.ResourceClaim, answer *result) error {
		for i := range answer.Devices {
			_, name, _ := strings.Cut(answer.Devices[i].CDIDeviceIDs[0], "=")
			answer.Devices[i].CDIDeviceIDs = []string{name}
		}
		return nil
	})
}

// devicesTwice appends the devices to those of an earlier answer.
func devicesTwice(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return after(driver, func(_ *resourceapi.ResourceClaim, answer *result) error {
		answer.Devices = slices.Concat(answer.Devices, answer.Devices)
		return nil
	})
}

// shareRemembered answers with the first share of a device.
func shareRemembered(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	shares := map[device]*types.UID{}
	return after(driver, func(_ *resourceapi.ResourceClaim, answer *result) error {
		for i, d := range answer.Devices {
			if d.ShareID == nil {
				continue
			}
			id := device{d.PoolName, d.DeviceName}
			if shares[id] == nil {
				shares[id] = d.ShareID
			}
			answer.Devices[i].ShareID = shares[id]
		}
		return nil
	})
}

// sharesMerged has one entry per device for all shares of a claim.
func sharesMerged(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return after(driver, func(_ *resourceapi.ResourceClaim, answer *result) error {
		seen := map[device]bool{}
		answer.Devices = slices.DeleteFunc(answer.Devices, func(d kubeletplugin.Device) bool {
			id := device{d.PoolName, d.DeviceName}
			again := d.ShareID != nil && seen[id]
			seen[id] = true
			return again
		})
		return nil
	})
}

// claimsByName looks claims up by name alone, ignoring UIDs.
func claimsByName(ctx context.Context, place Place, request any, handler grpc.UnaryHandler) (any, error) {
	asked := map[string]string{} // by UID in the API server
	for _, c := range claimsOf(request) {
		if found, err := place.Client.ResourceV1().ResourceClaims(c.namespace).Get(ctx, c.name, metav1.GetOptions{}); err == nil {
			asked[string(found.UID)], *c.uid = *c.uid, string(found.UID)
		}
	}
	answer, err := handler(ctx, request)
	if err != nil {
		return nil, err
	}
	switch a := answer.(type) {
	case *drapb.NodePrepareResourcesResponse:
		a.Claims = byAsked(a.Claims, asked)
	case *drapbv1beta1.NodePrepareResourcesResponse:
		a.Claims = byAsked(a.Claims, asked)
	}
	return answer, nil
}

// asked is a claim of a request to prepare.
type asked struct {
	namespace, name string
	uid             *string
}

func claimsOf(request any) []asked {
	var claims []asked
	switch r := request.(type) {
	case *drapb.NodePrepareResourcesRequest:
		for _, c := range r.Claims {
			claims = append(claims, asked{c.Namespace, c.Name, &c.Uid})
		}
	case *drapbv1beta1.NodePrepareResourcesRequest:
		for _, c := range r.Claims {
			claims = append(claims, asked{c.Namespace, c.Name, &c.Uid})
		}
	}
	return claims
}

func byAsked[A any](answers map[string]A, asked map[string]string) map[string]A {
	renamed := make(map[string]A, len(answers))
	for uid, answer := range answers {
		if as, ok := asked[uid]; ok {
			uid = as
		}
		renamed[uid] = answer
	}
	return renamed
}

// errorsHidden drops errors.
func errorsHidden(ctx context.Context, _ Place, request any, handler grpc.UnaryHandler) (any, error) {
	answer, err := handler(ctx, request)
	if err != nil {
		return nil, status.Error(codes.Internal, "the call has failed, see the driver's log")
	}
	return answer, nil
}

// oldAnswersIncomplete omits the requests in hand-written v1beta1 answers.
func oldAnswersIncomplete(ctx context.Context, _ Place, request any, handler grpc.UnaryHandler) (any, error) {
	answer, err := handler(ctx, request)
	if a, ok := answer.(*drapbv1beta1.NodePrepareResourcesResponse); ok && err == nil {
		for _, claim := range a.Claims {
			for _, device := range claim.Devices {
				device.RequestNames = nil
			}
		}
	}
	return answer, err
}
