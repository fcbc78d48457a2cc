package spec

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

var driverName = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// FaultKinds lists all kinds of faults.
func FaultKinds() []FaultKind {
	return []FaultKind{
		FaultClaimError, FaultCallError, FaultHang, FaultSlow,
		FaultNoAnswer, FaultWrongClaim, FaultWrongDevice, FaultNothingDone,
		FaultSwapped, FaultAllRequests, FaultOtherDevice, FaultNoParameters, FaultMixedParameters,
		FaultErrorWithDevices, FaultNoCDI, FaultAllCDI, FaultBusy,
	}
}

// OnDevices is whether faults of the kind falsify devices, of which an answer to
// unprepare has none.
func (k FaultKind) OnDevices() bool {
	switch k {
	case FaultWrongDevice, FaultSwapped, FaultAllRequests, FaultOtherDevice, FaultNoParameters, FaultMixedParameters,
		FaultErrorWithDevices, FaultNoCDI, FaultAllCDI:
		return true
	default:
		return false
	}
}

// Validate returns all problems at once. A driver's name starts with a letter
// because it is also the vendor of the CDI devices.
func (c DriverConfig) Validate() error {
	var errs []error
	if len(c.Name) > 63 || !driverName.MatchString(c.Name) {
		errs = append(errs, fmt.Errorf("name %q must be a DNS subdomain of at most 63 characters that starts with a letter", c.Name))
	}
	if !slices.Contains(Publishings(), c.Publishing) {
		errs = append(errs, fmt.Errorf("publishing: unknown way %q, known are %q", c.Publishing, Publishings()))
	}
	if c.Flaw != "" && !slices.Contains(Flaws(), c.Flaw) {
		errs = append(errs, fmt.Errorf("flaw: unknown %q, known are %q", c.Flaw, Flaws()))
	}
	return errors.Join(append(errs, ValidateGRPC(c.GRPC), c.Profile.Validate())...)
}

// ValidateGRPC returns all problems of offered plugin API versions at once.
func ValidateGRPC(versions []GRPCVersion) error {
	var errs []error
	for _, version := range versions {
		if version != GRPCv1 && version != GRPCv1beta1 {
			errs = append(errs, fmt.Errorf("grpc: unknown version %q, known are %s and %s", version, GRPCv1, GRPCv1beta1))
		}
	}
	return errors.Join(errs...)
}

// Validate returns all problems at once.
func (p Profile) Validate() error {
	var errs []error
	seen := map[string]bool{}
	for _, pool := range p.Pools {
		if seen[pool.Suffix] {
			errs = append(errs, fmt.Errorf("profile %q: two pools have the suffix %q", p.Name, pool.Suffix))
		}
		seen[pool.Suffix] = true
		for _, told := range pool.Health {
			if !slices.ContainsFunc(pool.Devices, func(d resourceapi.Device) bool { return d.Name == told.Device }) {
				errs = append(errs, fmt.Errorf("profile %q: health is told of device %q, which is not in its pool", p.Name, told.Device))
			}
		}
		devices := map[string]bool{}
		for _, device := range pool.Devices {
			if devices[device.Name] {
				errs = append(errs, fmt.Errorf("profile %q: pool suffix %q has two devices named %q", p.Name, pool.Suffix, device.Name))
			}
			devices[device.Name] = true
		}
	}
	return errors.Join(errs...)
}

// Validate returns all problems at once.
func (f Fault) Validate() error {
	var errs []error
	if f.Method != Prepare && f.Method != Unprepare {
		errs = append(errs, fmt.Errorf("unknown method %q, known are %s and %s", f.Method, Prepare, Unprepare))
	}
	if !slices.Contains(FaultKinds(), f.Kind) {
		errs = append(errs, fmt.Errorf("unknown kind %q, known are %v", f.Kind, FaultKinds()))
	}
	if f.Kind.OnDevices() && f.Method == Unprepare {
		errs = append(errs, fmt.Errorf("%s has no devices in its answer, so %s cannot be scripted for it", Unprepare, f.Kind))
	}
	if f.Kind == FaultBusy && f.Method == Unprepare {
		errs = append(errs, fmt.Errorf("%s is only scripted for %s", f.Kind, Prepare))
	}
	if f.Times < 0 {
		errs = append(errs, errors.New("times must not be negative"))
	}
	if (f.Delay > 0) != (f.Kind == FaultSlow) {
		errs = append(errs, fmt.Errorf("delay must be positive for %s and zero for other kinds", FaultSlow))
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("fault %s for %s: %w", f.Kind, f.Method, errors.Join(errs...))
}
