// Package fabrictest is a fabric in memory for tests. Start at New.
package fabrictest
