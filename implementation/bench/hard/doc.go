// Package hard has problems that are hard for an exhaustive search of devices, and what
// this project's allocator does for them; the commands beside it hold other allocators
// against that. Start at Families, where each says what its size means.
package hard
