// Package capability knows the Linux capabilities by name: which of them the
// kernel has and a process may never get, because its bounding set lacks them.
// It only reads text of /proc and changes nothing. Start at Read.
package capability
