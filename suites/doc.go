// Package suites is a placeholder: the harness brings its own.
package suites
