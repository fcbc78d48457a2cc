// Package whatif runs the command dra-whatif for cases, on the machine that dratest runs
// on. Start at Command.
package whatif
