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

package harness

import (
	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/spec"
)

// SecondDriver starts another driver on all nodes of the case, beside Driver; it returns
// once the kubelets have registered it and its pools are published. A case has two at most.
func (t *T) SecondDriver(profile spec.Profile) *Driver {
	ginkgo.GinkgoHelper()
	return t.SecondDriverAs(profile, nil)
}

// SecondDriverAs is SecondDriver whose instances start with what configure makes of their
// configuration; nil changes nothing.
func (t *T) SecondDriverAs(profile spec.Profile, configure func(*spec.DriverConfig)) *Driver {
	ginkgo.GinkgoHelper()
	return t.RunDriver(DriverName("second/second", t.Namespace), profile, configure)
}

// RunDriver starts a driver on all nodes of the case.
func (t *T) RunDriver(name string, profile spec.Profile, configure func(*spec.DriverConfig)) *Driver {
	ginkgo.GinkgoHelper()
	d := t.addDriver(name, profile)
	d.configure = configure
	t.Step("start driver %s", d.Name)
	t.NoError(d.start(), "start driver %s", d.Name)
	return d
}

// addDriver registers a driver on the case's nodes, which is stopped when the case ends.
func (t *T) addDriver(name string, profile spec.Profile) *Driver {
	d := &Driver{Name: name, t: t, profile: profile}
	t.OnRestore(d.restore)
	t.OnRemoved(d.awaitNonePrepared)
	t.OnCleanup(d.end)
	t.AddEvidence(d.gather)
	t.AddTimeline(d.timeline)
	return d
}
