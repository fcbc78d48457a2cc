// Package harnesstest runs pieces of cases on a fake cluster, for tests of the packages beside it.
package harnesstest
