// Package classic runs schedulers with classic DRA and drivers' controllers for cases, on the
// machine that dratest runs on, and installs the definitions that these need. Start at
// Programs; Install is for the whole run.
package classic
