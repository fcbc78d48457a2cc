// Command allocator measures this project's allocator and upstream's on families
// of problems that are hard for an exhaustive search, then on one pod and 500
// nodes. Start at families.
package main
