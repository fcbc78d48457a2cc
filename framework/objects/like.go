package objects

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// LikeDevice selects the devices that have all the attributes of one, which a driver publishes;
// none if that has none. Attributes with a list of values are left out.
func LikeDevice(driver string, device resourceapi.Device) []resourceapi.DeviceSelector {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(device.Attributes)) {
		domain, id, found := strings.Cut(string(name), "/")
		if !found {
			domain, id = driver, domain
		}
		value := ""
		switch a := device.Attributes[name]; {
		case a.StringValue != nil:
			value = strconv.Quote(*a.StringValue)
		case a.IntValue != nil:
			value = strconv.FormatInt(*a.IntValue, 10)
		case a.BoolValue != nil:
			value = strconv.FormatBool(*a.BoolValue)
		case a.VersionValue != nil:
			value = fmt.Sprintf("semver(%q)", *a.VersionValue)
		default:
			continue
		}
		parts = append(parts, fmt.Sprintf("%q in device.attributes[%q] && device.attributes[%q][%q] == %s", id, domain, domain, id, value))
	}
	if len(parts) == 0 {
		return nil
	}
	return []resourceapi.DeviceSelector{Selector(strings.Join(parts, " && "))}
}
