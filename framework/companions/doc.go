// Package companions lists the programs of this project that run beside a cluster for cases that
// need them: one file each, and a line in All. What a program cannot do without is a package of
// its own.
package companions
