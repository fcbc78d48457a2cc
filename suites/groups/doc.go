// Package groups has the cases for claims of pod groups (KEP-5729): reserved for the group
// instead of its pods, created once per group, kept as long as the group. One case per file,
// named after the scenario.
//
// Pod groups are off by default.
package groups
