package main

import (
	"cmp"

	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/clusters"
)

// nodeImageFlags say on the command line where node images come from.
type nodeImageFlags struct{ source, registry string }

func (f *nodeImageFlags) add(flags *pflag.FlagSet) { addNodeImageFlags(flags, &f.source, &f.registry) }

// over lays the flags that were given over a configuration.
func (f nodeImageFlags) over(c *clusters.Config) {
	c.NodeImageSource = cmp.Or(clusters.NodeImageSource(f.source), c.NodeImageSource)
	c.NodeImageRegistry = cmp.Or(f.registry, c.NodeImageRegistry)
}

func addNodeImageFlags(flags *pflag.FlagSet, source, registry *string) {
	flags.StringVar(source, "node-image-source", "",
		"where the version's node image comes from: registry (kind's published one), build, or auto: registry where one answers and this machine needs no variant, else build (default auto)")
	flags.StringVar(registry, "node-image-registry", "",
		`registry, with a path if need be, that has kindest/node and library/busybox (default "`+clusters.DefaultRegistry+`")`)
}
