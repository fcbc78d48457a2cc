package sim

import (
	"context"
	"fmt"
	"os"

	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Drive is one driver as a vendor's program is: no agent, no control port, nothing that
// could be told to misbehave. It publishes and prepares until ctx ends, and closes its
// sockets then; slices and what is prepared stay for the next process. Errors: ErrInvalid,
// or what went wrong with its files.
func Drive(ctx context.Context, c Config, driver spec.DriverConfig) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("check configuration: %w", err)
	}
	if err := driver.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	c = c.withDefaults()
	if err := os.MkdirAll(c.pluginDir(driver.Name), 0o750); err != nil {
		return fmt.Errorf("make plugin directory: %w", err)
	}
	i := newInstance(c, driver)
	defer i.disconnect()
	if err := i.connect(ctx); err != nil {
		return err
	}
	klog.FromContext(ctx).Info("Driver is ready", "driver", driver.Name, "node", c.NodeName)
	<-ctx.Done()
	return nil
}
