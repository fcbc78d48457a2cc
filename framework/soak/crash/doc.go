// Package crash names the points at which a kubelet can be killed, recognises them
// in its log, and tells from what was left behind where it really died.
//
// It kills nothing: cmd/dratest-crash does, on the node, where soak/faults puts it.
// Log lines are those of this project's DRA manager. Start with Point.
package crash
