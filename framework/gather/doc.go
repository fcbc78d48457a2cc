// Package gather collects what explains DRA in a cluster, of whoever it is: objects,
// events, logs, metrics, what lies on nodes, and what package audit finds. It only reads;
// Secrets and ConfigMaps are never asked for. Values of environment variables and the like
// are left out of objects (Pod, Clean, CDI), and of logs as far as they are known (Scrubber).
//
// Start with Gather.
package gather
