// Package await waits for facts in a cluster, by watching or polling, and outlasts short failures
// of API servers and agents. It knows nothing of cases.
package await
