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
	"context"
	"sync"
	"sync/atomic"

	"k8s.io/dynamic-resource-allocation/cel"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// Program is a compiled selector together with what it said so far. It stays usable
// when its Cache has dropped it.
type Program struct {
	cache    *Cache
	compiled func() cel.CompilationResult
	// plain are the results without an error, as nearly all are: false and true.
	plain [2]result
	// results are replaced by empty ones when they are full. Which of them are
	// still of use cannot be told without a cost for each hit, and evaluating
	// again what is needed costs little compared to keeping track.
	results atomic.Pointer[results]
}

// results are what a program said of contents. The keys do not keep the contents
// alive: devices come and go, programs stay.
type results struct {
	size    atomic.Int64
	entries sync.Map // *inventory.ContentKey to *result
}

// result is what a program said of a content.
type result struct {
	matches bool
	err     error
}

func newProgram(c *Cache, expression string) *Program {
	p := &Program{
		cache:    c,
		plain:    [2]result{{matches: false}, {matches: true}},
		compiled: sync.OnceValue(func() cel.CompilationResult { return c.compile(expression) }),
	}
	p.results.Store(&results{})
	return p
}

// Err returns why the expression does not compile, nil if it does.
func (p *Program) Err() error {
	// Not returned as it is: a nil *Error in an error would not be nil.
	if err := p.compiled().Error; err != nil {
		return err
	}
	return nil
}

// Match says whether a device with this content is selected. Errors are those of
// evaluation (attribute missing, cost limit), enhanced as Kubernetes does; they are
// remembered like results, errors of ctx are not.
func (p *Program) Match(ctx context.Context, content *inventory.Content) (bool, error) {
	key := content.Key()
	known := p.results.Load()
	if r, found := known.entries.Load(key); found {
		r := r.(*result)
		return r.matches, r.err
	}
	if err := p.Err(); err != nil {
		return false, err
	}
	matches, err := p.evaluate(ctx, content)
	if ctx.Err() != nil {
		// Perhaps the error is only that there was no time.
		return matches, err
	}
	p.remember(key, result{matches: matches, err: err})
	return matches, err
}

func (p *Program) evaluate(ctx context.Context, content *inventory.Content) (bool, error) {
	matches, _, err := p.compiled().DeviceMatches(ctx, cel.Device{
		Driver:                   content.Driver,
		AllowMultipleAllocations: content.AllowMultipleAllocations,
		Attributes:               content.Attributes,
		Capacity:                 content.Capacity,
	})
	return matches, cel.EnhanceRuntimeError(err)
}

func (p *Program) remember(key *inventory.ContentKey, r result) {
	stored := &r
	if r.err == nil {
		stored = &p.plain[0]
		if r.matches {
			stored = &p.plain[1]
		}
	}
	if p.results.Load().size.Load() >= int64(p.cache.config.Results) {
		p.drop()
	}
	if p.cache.results.Load() >= int64(p.cache.config.AllResults) {
		p.cache.shrink()
	}
	into := p.results.Load()
	if _, known := into.entries.LoadOrStore(key, stored); !known {
		into.size.Add(1)
		p.cache.results.Add(1)
	}
}

// drop forgets all results.
func (p *Program) drop() {
	dropped := p.results.Swap(&results{})
	p.cache.results.Add(-dropped.size.Load())
}
