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

package main

import (
	"cmp"

	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/reports/schema"
)

// declared applies the driver's declaration to flags not set on the command line.
func (f *sanityFlags) declared(flags *pflag.FlagSet) error {
	if f.file == "" {
		return nil
	}
	d, err := readDeclaration(f.file)
	if err != nil {
		return err
	}
	f.implementation = f.implementation.Over(schema.Implementation(d.Identity))
	f.driver = cmp.Or(f.driver, d.Driver)
	f.class = cmp.Or(f.class, d.Classes[0].Name)
	f.features = d.Features
	if f.features == nil {
		f.features = declarations.Features{}
	}
	f.kubeletRoot, f.checkpoints = d.Nodes.KubeletRoot, d.Deploy.CheckpointPaths
	f.template, f.namespace = d.Workload.Template, d.Namespace
	f.upgrade, f.downgrade = d.Hooks.Upgrade, d.Hooks.Downgrade
	if limit := d.Limits.Republish; limit > 0 && !flags.Changed("publish-timeout") {
		f.publishTimeout = limit
	}
	valid, invalid, err := d.Config.Encoded()
	for _, parameters := range valid {
		f.valid = append(f.valid, string(parameters))
	}
	for _, parameters := range invalid {
		f.invalid = append(f.invalid, string(parameters))
	}
	return err
}
