// Package hard has hard problems for an exhaustive device search, and how this project's allocator
// solves them; the commands beside it compare other allocators. Start at Families, with the meaning
// of sizes.
package hard
