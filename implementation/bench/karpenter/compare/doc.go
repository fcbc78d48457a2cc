// Package compare compares this project's allocator with karpenter's on random problems: a pod
// placed on a node by karpenter has to fit there for us, too, unless upstream's allocator decides
// that karpenter is wrong, because of a known gap in karpenter. Start at Run; Reasons lists the
// gaps.
package compare
