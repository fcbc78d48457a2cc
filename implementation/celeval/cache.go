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

package celeval

import (
	"sync"
	"sync/atomic"

	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/lru"
)

// Cache holds compiled expressions and their results by device content. It is safe for concurrent use.
type Cache struct {
	config  Config
	compile func(expression string) cel.CompilationResult
	// results is the total number of results in all programs.
	results atomic.Int64

	mutex sync.Mutex
	// recent are the most recently used expressions with their programs.
	recent *lru.Cache
	// programs mirrors recent, because that cannot be listed.
	programs map[*Program]struct{}
}

// Config limits a Cache; the zero value suits a scheduler.
type Config struct {
	// Expressions is the maximum number of compiled expressions, 0 means 1000.
	Expressions int
	// Results is the maximum number of results per expression, 0 means 100000.
	Results int
	// AllResults is the maximum number of results in total, 0 means 1000000. One takes about 100 bytes.
	AllResults int
}

// New returns an empty cache.
func New(c Config) *Cache {
	if c.Expressions <= 0 {
		c.Expressions = 1000
	}
	if c.Results <= 0 {
		c.Results = 100_000
	}
	if c.AllResults <= 0 {
		c.AllResults = 1_000_000
	}
	cache := &Cache{config: c, compile: compileSelector, programs: make(map[*Program]struct{})}
	cache.recent = lru.NewWithEvictionFunc(c.Expressions, cache.evicted)
	return cache
}

// Compile returns the program of an expression, compiled once. It never fails; see Program.Err for
// compile errors.
func (c *Cache) Compile(expression string) *Program {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if known, found := c.recent.Get(expression); found {
		return known.(*Program)
	}
	// Compilation is deferred to the first use, outside of the lock.
	p := newProgram(c, expression)
	c.programs[p] = struct{}{}
	c.recent.Add(expression, p)
	return p
}

// evicted is called by Add, under the lock.
func (c *Cache) evicted(_ lru.Key, value any) {
	p := value.(*Program)
	delete(c.programs, p)
	p.drop()
}

// shrink drops all results to make room, like a single program does: the next attempts restore the
// useful ones.
func (c *Cache) shrink() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.results.Load() < int64(c.config.AllResults) {
		return
	}
	for p := range c.programs {
		p.drop()
	}
	// Evicted programs in use have counted, too.
	c.results.Store(0)
}

// compileSelector compiles selectors stored in the API server: validated expressions are accepted
// regardless of local feature gates. The cost limit is Kubernetes' default. Cost estimation is up to
// the API server.
func compileSelector(expression string) cel.CompilationResult {
	compiler := cel.GetCompiler(cel.Features{EnableConsumableCapacity: true})
	return compiler.CompileCELExpression(expression, cel.Options{DisableCostEstimation: true})
}
