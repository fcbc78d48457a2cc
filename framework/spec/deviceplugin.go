package spec

import (
	"errors"
	"fmt"
)

// DevicePlugin is an extended resource that is served as before there was DRA:
// devices that are only counted (KEP-5004 lets nodes of both kinds live together).
type DevicePlugin struct {
	// Resource is the name of the extended resource.
	Resource string `json:"resource"`
	// Devices are their IDs.
	Devices []string `json:"devices,omitempty"`
}

// Validate returns all problems at once.
func (p DevicePlugin) Validate() error {
	var errs []error
	if p.Resource == "" && len(p.Devices) > 0 {
		errs = append(errs, errors.New("the resource is missing"))
	}
	seen := map[string]bool{}
	for _, id := range p.Devices {
		if id == "" || seen[id] {
			errs = append(errs, fmt.Errorf("device ID %q is empty or there twice", id))
		}
		seen[id] = true
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("device plugin %q: %w", p.Resource, errors.Join(errs...))
}
