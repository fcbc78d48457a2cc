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

// answer is what is said about one claim; devices are empty for Unprepare.
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

// run answers one call: it applies the first fault that matches, records the
// call, and lets the driver handle what the fault leaves over. A call is hit by
// one fault only; the next call meets the next one.
func (s *Script) run(ctx context.Context, c *call) (map[string]*answer, error) {
	record, fault, replaced := s.begin(c)
	answers, err := apply(ctx, c, fault, replaced)
	s.end(record, answers, err)
	return answers, err
}

// apply is the answer to c under a fault (none if its kind is empty).
func apply(ctx context.Context, c *call, fault spec.Fault, replaced <-chan struct{}) (map[string]*answer, error) {
	switch fault.Kind {
	case "":
		return c.handle(ctx, c.claims)
	case spec.FaultCallError:
		number, err := code(fault)
		if err != nil {
			return nil, err
		}
		return nil, status.Error(number, message(fault))
	case spec.FaultHang:
		select {
		case <-ctx.Done():
			return nil, status.FromContextError(ctx.Err()).Err()
		case <-replaced:
			return c.handle(ctx, c.claims)
		}
	case spec.FaultSlow:
		timer := time.NewTimer(fault.Delay)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return nil, status.FromContextError(ctx.Err()).Err()
		case <-timer.C:
			return c.handle(ctx, c.claims)
		}
	case spec.FaultClaimError, spec.FaultNothingDone:
		return applyUndone(ctx, c, fault)
	case spec.FaultNoAnswer, spec.FaultWrongClaim, spec.FaultWrongDevice, spec.FaultSwapped, spec.FaultAllRequests,
		spec.FaultErrorWithDevices, spec.FaultNoCDI, spec.FaultAllCDI:
		return applyWrong(ctx, c, fault)
	case spec.FaultOtherDevice, spec.FaultNoParameters, spec.FaultMixedParameters, spec.FaultBusy:
		return c.handle(context.WithValue(ctx, faultKey{}, fault), c.claims)
	default:
		return nil, status.Errorf(codes.Internal, "fault %q is not implemented", fault.Kind)
	}
}

// applyUndone leaves the faulty claims to nobody and answers for them.
func applyUndone(ctx context.Context, c *call, fault spec.Fault) (map[string]*answer, error) {
	var healthy []*drapb.Claim
	answers := map[string]*answer{}
	for _, claim := range c.claims {
		switch {
		case !hits(fault, claim):
			healthy = append(healthy, claim)
		case fault.Kind == spec.FaultClaimError:
			answers[claim.Uid] = &answer{err: message(fault)}
		default:
			answers[claim.Uid] = &answer{}
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

// faultKey is under which a context carries a fault that cannot be seen in an
// answer.
type faultKey struct{}

// Beyond is the fault that the driver itself has to apply to a claim, because an
// answer does not show it; empty if there is none.
func Beyond(ctx context.Context, claim string) spec.FaultKind {
	fault, _ := ctx.Value(faultKey{}).(spec.Fault)
	if fault.Claim != "" && fault.Claim != claim {
		return ""
	}
	return fault.Kind
}

// applyWrong lets the driver do its work and falsifies what it says.
func applyWrong(ctx context.Context, c *call, fault spec.Fault) (map[string]*answer, error) {
	answers, err := c.handle(ctx, c.claims)
	if err != nil {
		return nil, err
	}
	for _, claim := range c.claims {
		a := answers[claim.Uid]
		if a == nil || !hits(fault, claim) {
			continue
		}
		switch fault.Kind {
		case spec.FaultNoAnswer:
			delete(answers, claim.Uid)
		case spec.FaultWrongClaim:
			delete(answers, claim.Uid)
			answers["not-"+claim.Uid] = a
		case spec.FaultErrorWithDevices:
			a.err = message(fault)
		default:
			falsify(a.devices, fault.Kind)
		}
	}
	return answers, nil
}

// falsify changes what an answer says of a claim's devices.
func falsify(devices []*drapb.Device, kind spec.FaultKind) {
	if len(devices) == 0 {
		return
	}
	first := devices[0].CdiDeviceIds
	var all []string
	for _, device := range devices {
		all = append(all, device.CdiDeviceIds...)
	}
	for i, device := range devices {
		switch kind {
		case spec.FaultWrongDevice:
			for j := range device.CdiDeviceIds {
				device.CdiDeviceIds[j] += "-does-not-exist"
			}
		case spec.FaultAllRequests:
			device.RequestNames = nil
		case spec.FaultNoCDI:
			device.CdiDeviceIds = nil
		case spec.FaultAllCDI:
			device.CdiDeviceIds = all
		case spec.FaultSwapped:
			device.CdiDeviceIds = first
			if i+1 < len(devices) {
				device.CdiDeviceIds = devices[i+1].CdiDeviceIds
			}
		}
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

// code is the gRPC code of a fault by its name.
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
