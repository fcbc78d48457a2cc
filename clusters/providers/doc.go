// Package providers puts the providers together with what they need of this machine:
// kind with node images that are built when they are missing, on an engine that is
// started when it has been stopped, and control planes with programs from the same
// cache. The command and the suites' test share it. Start at Clusters.
package providers
