// Package junit renders a report as the JUnit XML that CI systems show. It is
// small: a case that passed is one line, without output or timelines.
package junit
