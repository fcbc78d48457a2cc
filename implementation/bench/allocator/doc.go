// Command allocator measures this project's allocator and upstream's on families
// of problems that are hard for an exhaustive search, then on one pod and 500
// nodes. Start at families, where each says what its size means. The sizes of the
// last line are those at which upstream takes between 10 ms and 2 s.
package main
