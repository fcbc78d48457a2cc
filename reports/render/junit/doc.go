// Package junit renders a report as the JUnit XML that CI systems show. It is
// small: a case that passed is one line, without output or timelines. A warning, which
// fails no run, is a case that passed with an output that says what it saw.
package junit
