// Package groups holds the cases of claims that a group of pods has as a whole (KEP-5729):
// reserved for the group in place of its pods, made once for it, kept as long as it exists.
// One case per file, named after what happens.
//
// Groups of pods are off by default.
package groups
