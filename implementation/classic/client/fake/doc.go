// Package fake is an in-memory client for unit tests. Like an API server, it separates status from
// the rest, counts generations, rejects stale writes and honors finalizers. It does not validate.
package fake
