// Package extended has the cases for extended resources backed by DRA (KEP-5004): pods without
// claims get devices of a class. One case per file, named after the scenario.
package extended
