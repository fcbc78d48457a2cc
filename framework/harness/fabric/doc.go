// Package fabric starts composable fabrics and their controllers for cases, and audits what they
// have attached at the end of each case.
package fabric
