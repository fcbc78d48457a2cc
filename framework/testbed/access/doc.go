// Package access is about the rights that a run needs in a cluster that is there already:
// Rules lists them, for a ClusterRole, and Check says which of them an account lacks.
//
// That nothing is missing and nothing is too much is shown on a real cluster by
// "dratest prove access" (framework/prove/access).
package access
