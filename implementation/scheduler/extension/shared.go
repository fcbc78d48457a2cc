package extension

import "sync"

// Shared is made once for all profiles of a scheduler, each of which has a plugin of its
// own. The zero value is empty.
type Shared[T any] struct {
	mu     sync.Mutex
	source any
	value  *T
}

// Of returns what was made for the source, something that the profiles of one scheduler
// have in common, such as their informer factory. It calls create for a new source.
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
