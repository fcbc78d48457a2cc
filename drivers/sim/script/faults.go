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

package script

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/types"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// call is one call of the kubelet, in either version of the API.
type call struct {
	method spec.Method
	grpc   spec.GRPCVersion
	claims []*drapb.Claim
	// handle is the driver behind the script.
	handle func(ctx context.Context, claims []*drapb.Claim) (map[string]*answer, error)
}

type answer struct {
	err     string
	devices []*drapb.Device
}

func uid(claim *drapb.Claim) types.UID { return types.UID(claim.Uid) }

func validate(faults []spec.Fault) error {
	var errs []error
	for _, fault := range faults {
		errs = append(errs, fault.Validate())
		if _, err := code(fault); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func matches(fault spec.Fault, c *call) bool {
	return fault.Method == c.method && (fault.Claim == "" || slices.ContainsFunc(c.claims, func(claim *drapb.Claim) bool {
		return claim.Name == fault.Claim
	}))
}

// run answers one call: it applies the first matching fault, records the call, and lets the driver handle the rest. A
// call gets one fault only; the next call gets the next one.
func (s *Script) run(ctx context.Context, c *call) (map[string]*answer, error) {
	record, fault, replaced := s.begin(c)
	answers, err := apply(ctx, c, fault, replaced)
	s.end(record, answers, err)
	return answers, err
}

// apply answers c under a fault (none if its kind is empty).
func apply(ctx context.Context, c *call, fault spec.Fault, replaced <-chan struct{}) (map[string]*answer, error) {
	if inject, ok := calls[fault.Kind]; ok {
		return inject(ctx, c, fault, replaced)
	}
	if instead, ok := undone[fault.Kind]; ok {
		return applyUndone(ctx, c, fault, instead)
	}
	answers, err := c.handle(context.WithValue(ctx, faultKey{}, fault), c.claims)
	if err != nil {
		return nil, err
	}
	for _, claim := range c.claims {
		a := answers[claim.Uid]
		if a == nil || !hits(fault, claim) {
			continue
		}
		if change, ok := wrong[fault.Kind]; ok {
			change(answers, claim, fault)
		}
		falsify(a.devices, fault.Kind)
	}
	return answers, nil
}

// Each kind of fault is in one of these tables, or implemented by the driver itself; see Beyond.
//
//nolint:gochecknoglobals // tables
var (
	// calls are faults of a whole call.
	calls = map[spec.FaultKind]func(ctx context.Context, c *call, fault spec.Fault, replaced <-chan struct{}) (map[string]*answer, error){
		spec.FaultCallError: func(_ context.Context, _ *call, fault spec.Fault, _ <-chan struct{}) (map[string]*answer, error) {
			number, err := code(fault)
			if err != nil {
				return nil, err
			}
			return nil, status.Error(number, message(fault))
		},
		spec.FaultHang: func(ctx context.Context, c *call, _ spec.Fault, replaced <-chan struct{}) (map[string]*answer, error) {
			select {
			case <-ctx.Done():
				return nil, status.FromContextError(ctx.Err()).Err()
			case <-replaced:
				return c.handle(ctx, c.claims)
			}
		},
		spec.FaultSlow: func(ctx context.Context, c *call, fault spec.Fault, _ <-chan struct{}) (map[string]*answer, error) {
			timer := time.NewTimer(fault.Delay)
			defer timer.Stop()
			select {
			case <-ctx.Done():
				return nil, status.FromContextError(ctx.Err()).Err()
			case <-timer.C:
				return c.handle(ctx, c.claims)
			}
		},
	}

	// undone are answers for claims hidden from the driver.
	undone = map[spec.FaultKind]func(spec.Fault) *answer{
		spec.FaultClaimError:  func(fault spec.Fault) *answer { return &answer{err: message(fault)} },
		spec.FaultNothingDone: func(spec.Fault) *answer { return &answer{} },
	}

	// wrong changes the answer for a claim after the driver has done its work.
	wrong = map[spec.FaultKind]func(answers map[string]*answer, claim *drapb.Claim, fault spec.Fault){
		spec.FaultNoAnswer: func(answers map[string]*answer, claim *drapb.Claim, _ spec.Fault) { delete(answers, claim.Uid) },
		spec.FaultWrongClaim: func(answers map[string]*answer, claim *drapb.Claim, _ spec.Fault) {
			answers["not-"+claim.Uid] = answers[claim.Uid]
			delete(answers, claim.Uid)
		},
		spec.FaultErrorWithDevices: func(answers map[string]*answer, claim *drapb.Claim, fault spec.Fault) {
			answers[claim.Uid].err = message(fault)
		},
	}

	// falsified changes an answer's device; names are the CDI devices of all of the claim's devices in the driver's
	// answer.
	falsified = map[spec.FaultKind]func(device *drapb.Device, i int, names [][]string){
		spec.FaultWrongDevice: func(device *drapb.Device, _ int, _ [][]string) {
			for j := range device.CdiDeviceIds {
				device.CdiDeviceIds[j] += "-does-not-exist"
			}
		},
		spec.FaultAllRequests: func(device *drapb.Device, _ int, _ [][]string) { device.RequestNames = nil },
		spec.FaultNoCDI:       func(device *drapb.Device, _ int, _ [][]string) { device.CdiDeviceIds = nil },
		spec.FaultAllCDI:      func(device *drapb.Device, _ int, names [][]string) { device.CdiDeviceIds = slices.Concat(names...) },
		spec.FaultSwapped:     func(device *drapb.Device, i int, names [][]string) { device.CdiDeviceIds = names[(i+1)%len(names)] },
	}
)

// applyUndone answers for the faulty claims without the driver.
func applyUndone(ctx context.Context, c *call, fault spec.Fault, instead func(spec.Fault) *answer) (map[string]*answer, error) {
	var healthy []*drapb.Claim
	answers := map[string]*answer{}
	for _, claim := range c.claims {
		if hits(fault, claim) {
			answers[claim.Uid] = instead(fault)
		} else {
			healthy = append(healthy, claim)
		}
	}
	if len(healthy) == 0 {
		return answers, nil
	}
	rest, err := c.handle(ctx, healthy)
	if err != nil {
		return nil, err
	}
	maps.Copy(answers, rest)
	return answers, nil
}

type faultKey struct{}

// Beyond is the kind of fault for a claim to be implemented by the driver, since it does not show in an answer; empty
// if there is none.
func Beyond(ctx context.Context, claim string) spec.FaultKind {
	fault, _ := ctx.Value(faultKey{}).(spec.Fault)
	if fault.Claim != "" && fault.Claim != claim {
		return ""
	}
	return fault.Kind
}

// falsify changes the devices in a claim's answer.
func falsify(devices []*drapb.Device, kind spec.FaultKind) {
	change, ok := falsified[kind]
	if !ok {
		return
	}
	var names [][]string
	for _, device := range devices {
		names = append(names, device.CdiDeviceIds)
	}
	for i, device := range devices {
		change(device, i, names)
	}
}

func hits(fault spec.Fault, claim *drapb.Claim) bool {
	return fault.Claim == "" || fault.Claim == claim.Name
}

func message(fault spec.Fault) string {
	if fault.Message != "" {
		return fault.Message
	}
	return fmt.Sprintf("dra-sim: scripted %s of %s", fault.Kind, fault.Method)
}

func code(fault spec.Fault) (codes.Code, error) {
	if fault.Code == "" {
		return codes.Internal, nil
	}
	for number := codes.Canceled; number <= codes.Unauthenticated; number++ {
		if number.String() == fault.Code {
			return number, nil
		}
	}
	return codes.Internal, fmt.Errorf("fault %s for %s: unknown gRPC code %q, use a name such as Unavailable", fault.Kind, fault.Method, fault.Code)
}
