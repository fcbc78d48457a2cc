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

package spec

import "fmt"

// ofDriver is for needs of a driver under test; cases with a driver of their own lack nothing.
func ofDriver(missing func(Needs, DriverUnderTest) *Skip) func(Needs, Target) *Skip {
	return func(n Needs, t Target) *Skip {
		if t.DriverUnderTest == nil {
			return nil
		}
		return missing(n, *t.DriverUnderTest)
	}
}

func missingDriverPods(_ Needs, t Target) *Skip {
	if t.DriverUnderTest == nil {
		return &Skip{SkipDriver, "needs a driver installed by its vendor: use `dratest certify`"}
	}
	return unless(t.DriverUnderTest.Namespace != "", SkipDriver, "needs the driver's own pods: deploy.daemonSet is not declared, or not there")
}

func missingDriverFeature(n Needs, s DriverUnderTest) *Skip {
	for _, f := range n.DriverFeatures {
		if !s.Features[f] {
			return &Skip{SkipDriverFeature, fmt.Sprintf("needs a driver with feature %s", f)}
		}
	}
	for _, f := range n.NoDriverFeatures {
		if s.Features[f] {
			return &Skip{SkipDriverFeature, fmt.Sprintf("is for drivers without feature %s", f)}
		}
	}
	return nil
}

func missingHook(n Needs, s DriverUnderTest) *Skip {
	for _, h := range n.Hooks {
		if _, declared := s.Hooks[h]; !declared {
			return &Skip{SkipHook, fmt.Sprintf("needs a command on this machine in hooks.%s", h)}
		}
		if h == HookUninstall && !s.Removable {
			return &Skip{SkipHook, "removes the driver: only done with --install or --versions"}
		}
	}
	return nil
}

func missingDevices(n Needs, s DriverUnderTest) *Skip {
	class := s.ClassFor(n.DriverFeatures)
	return unless(class.Devices >= n.Devices, SkipDevices, "needs %d free device(s) of class %s on a node, not each node has more than %d", n.Devices, class.Class, class.Devices)
}
