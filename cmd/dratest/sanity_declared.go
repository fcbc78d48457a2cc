package main

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/spf13/pflag"
)

// declared fills in what the driver's declaration says and no flag does; flags are those
// that were given.
func (f *sanityFlags) declared(flags *pflag.FlagSet) error {
	if f.file == "" {
		return nil
	}
	d, err := readDeclaration(f.file)
	if err != nil {
		return err
	}
	f.driver = cmp.Or(f.driver, d.Driver)
	f.class = cmp.Or(f.class, d.Classes[0].Name)
	f.kubeletRoot, f.checkpoints = d.Nodes.KubeletRoot, d.Deploy.CheckpointPaths
	f.upgrade, f.downgrade = d.Hooks.Upgrade, d.Hooks.Downgrade
	if limit := d.Limits.Republish; limit > 0 && !flags.Changed("publish-timeout") {
		f.publishTimeout = limit
	}
	for _, c := range []struct {
		into *[]string
		from []map[string]any
	}{{&f.valid, d.Config.Valid}, {&f.invalid, d.Config.Invalid}} {
		for _, parameters := range c.from {
			text, err := json.Marshal(parameters)
			if err != nil {
				return fmt.Errorf("encode config of %s: %w", f.file, err)
			}
			*c.into = append(*c.into, string(text))
		}
	}
	return nil
}
