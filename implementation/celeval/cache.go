package celeval

import (
	"context"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// Cache holds compiled expressions and what they said of devices. It is safe for
// concurrent use.
type Cache struct{}

// Config limits a Cache; the zero value has limits that suit a scheduler.
type Config struct {
	// Expressions is how many compiled expressions are kept, 0 means 1000.
	Expressions int
	// Results is how many results are kept for each expression, 0 means 100000.
	Results int
}

// New returns an empty cache.
func New(c Config) *Cache { panic("not implemented") }

// Compile returns the program of an expression, compiled once. It never fails;
// what is wrong with the expression is in Program.Err.
func (c *Cache) Compile(expression string) *Program { panic("not implemented") }

// Program is a compiled selector.
type Program struct{}

// Err returns why the expression does not compile, nil if it does.
func (p *Program) Err() error { panic("not implemented") }

// Match says whether a device with this content is selected. Errors are those of
// evaluation (attribute missing, cost limit), enhanced as Kubernetes does; they are
// remembered like results, errors of ctx are not.
func (p *Program) Match(ctx context.Context, content *inventory.Content) (bool, error) {
	panic("not implemented")
}
