// Package extended holds the cases of extended resources that are served by DRA
// (KEP-5004): pods without claims that get devices of a class. One case per file,
// named after what happens.
package extended
