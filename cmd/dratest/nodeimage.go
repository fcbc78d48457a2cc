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

	"github.com/dra-conformance/dratest/clusters"
)

// nodeImageFlags select the source of node images.
type nodeImageFlags struct{ source, registry string }

func (f *nodeImageFlags) add(flags *pflag.FlagSet) { addNodeImageFlags(flags, &f.source, &f.registry) }

// over applies the flags to a configuration.
func (f nodeImageFlags) over(c *clusters.Config) {
	c.NodeImageSource = cmp.Or(clusters.NodeImageSource(f.source), c.NodeImageSource)
	c.NodeImageRegistry = cmp.Or(f.registry, c.NodeImageRegistry)
}

func addNodeImageFlags(flags *pflag.FlagSet, source, registry *string) {
	flags.StringVar(source, "node-image-source", "",
		"source of node images: registry (kind's published images), build, or auto (registry if reachable and this machine needs no variant, otherwise build) (default auto)")
	flags.StringVar(registry, "node-image-registry", "",
		`registry, with an optional path, that serves kindest/node and library/busybox (default "`+clusters.DefaultRegistry+`")`)
}
