// Package gather collects what explains DRA in a cluster, of whoever it is: objects,
// events, logs, metrics, what lies on nodes, and what package audit finds. It only reads;
// Secrets and ConfigMaps are never asked for, and values of environment variables are left
// out of all that is written (see Scrubber and Pod).
//
// Start with Gather.
package gather
