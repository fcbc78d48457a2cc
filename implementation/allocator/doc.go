// Package allocator decides which devices a pod's claims get on a node: the first
// fit in Kubernetes' documented order, found or refuted without trying what is
// known not to matter. Start at Allocate.
package allocator
