package main

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// variant is a way in which one pod asks 500 nodes of 8 devices for one device.
type variant struct {
	name     string
	selector string
	// unique gives each device an attribute that no other has, so that no result
	// of a selector holds for two devices.
	unique bool
	fits   bool
	// counted variants go into the last line.
	counted bool
}

func variants() []variant {
	const twoTerms = `device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "a"`
	const never = `device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "b"`
	return []variant{
		{name: "no selector", fits: true, counted: true},
		{name: "two-term selector", selector: twoTerms, fits: true, counted: true},
		{name: "never matches", selector: never, counted: true},
		{name: "never matches, each device unique", selector: never, unique: true},
	}
}

func filter500(v variant) task {
	t := task{fits: v.fits, devices: 8}
	for n := range 500 {
		at := node(n)
		all := devices(8)
		for i := range all {
			all[i].Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				"model": {StringValue: ptr.To("a")},
				"index": {IntValue: ptr.To(int64(i))},
			}
			if v.unique {
				all[i].Attributes["uuid"] = resourceapi.DeviceAttribute{StringValue: ptr.To(fmt.Sprintf("%d-%d", n, i))}
			}
		}
		t.nodes = append(t.nodes, at)
		t.slices = append(t.slices, slice("devices", at.Name, all))
	}
	claim := claimFor(0, 1)
	if v.selector != "" {
		claim.Spec.Devices.Requests[0].Exactly.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: v.selector}}}
	}
	t.claims = []*resourceapi.ResourceClaim{claim}
	return t
}
