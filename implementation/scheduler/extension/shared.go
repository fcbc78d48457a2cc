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

package extension

import "sync"

// Shared is created once for all profiles of a scheduler, each with its own plugin instance. The zero
// value is empty.
type Shared[T any] struct {
	mu     sync.Mutex
	source any
	value  *T
}

// Of returns the shared value for a source common to all profiles of a scheduler, e.g. the informer
// factory. It calls create for a new source.
func (s *Shared[T]) Of(source any, create func() (*T, error)) (*T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.value != nil && s.source == source {
		return s.value, nil
	}
	value, err := create()
	if err != nil {
		return nil, err
	}
	s.value, s.source = value, source
	return value, nil
}
