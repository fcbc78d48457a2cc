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

// Program is a compiled selector with its cached results. It stays usable after its Cache has dropped
// it.
type Program struct {
	cache    *Cache
	compiled func() cel.CompilationResult
	// plain are the shared results without an error (nearly all): false and true.
	plain [2]result
	// results are replaced by empty ones when full. Tracking usage would slow down every hit;
	// re-evaluating the useful ones is cheaper.
	results atomic.Pointer[results]
}

// results are cached by content. Keys do not keep contents alive: devices come and go, programs stay.
type results struct {
	size    atomic.Int64
	entries sync.Map // *inventory.ContentKey to *result
}

// result is a program's result for one content.
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

// Err returns the compile error, nil if there is none.
func (p *Program) Err() error {
	// Do not return a nil *Error as a non-nil error.
	if err := p.compiled().Error; err != nil {
		return err
	}
	return nil
}

// Match reports whether the selector matches a device with this content. Errors come from evaluation
// (missing attribute, cost limit) with Kubernetes' hints. They are cached like results, except errors
// of ctx.
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
		// The error may only be a timeout.
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
