// Package fake is a client of an API server in memory, for unit tests. As the real one,
// it keeps status and the rest apart, counts generations, refuses writes of old versions
// and keeps objects with finalizers. It does not validate.
package fake
