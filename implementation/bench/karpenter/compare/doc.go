// Package compare holds this project's allocator against karpenter's on random problems:
// whatever pod karpenter places on a node has to fit there for us, too, unless upstream's
// allocator, a third one, says that karpenter is wrong, and something that karpenter is
// known to leave out is why. Start at Run; Reasons has what karpenter leaves out.
package compare
