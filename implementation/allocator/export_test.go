package allocator

// WithPricesFrom returns a configuration with which prices are looked for after so many steps.
func WithPricesFrom(c Config, steps int) Config {
	c.pricesFrom = steps
	return c
}
