package celeval

import (
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/lru"
)

// Cache holds compiled expressions and what they said of devices. It is safe for
// concurrent use.
type Cache struct {
	config Config
	// programs are the *Program by expression, those used last.
	programs *lru.Cache
	compile  func(expression string) cel.CompilationResult
}

// Config limits a Cache; the zero value has limits that suit a scheduler.
type Config struct {
	// Expressions is how many compiled expressions are kept, 0 means 1000.
	Expressions int
	// Results is how many results are kept for each expression, 0 means 100000.
	Results int
}

// New returns an empty cache.
func New(c Config) *Cache {
	if c.Expressions <= 0 {
		c.Expressions = 1000
	}
	if c.Results <= 0 {
		c.Results = 100000
	}
	return &Cache{config: c, programs: lru.New(c.Expressions), compile: compileSelector}
}

// Compile returns the program of an expression, compiled once. It never fails;
// what is wrong with the expression is in Program.Err.
func (c *Cache) Compile(expression string) *Program {
	if known, found := c.programs.Get(expression); found {
		return known.(*Program)
	}
	p := newProgram(expression, c.compile, c.config.Results)
	c.programs.Add(expression, p)
	return p
}

// compileSelector compiles for what is stored in the API server: what it has let
// pass is not refused, whatever features are off here. The cost limit is the
// default one of Kubernetes, estimating the cost is the API server's business.
func compileSelector(expression string) cel.CompilationResult {
	compiler := cel.GetCompiler(cel.Features{EnableConsumableCapacity: true})
	return compiler.CompileCELExpression(expression, cel.Options{DisableCostEstimation: true})
}
