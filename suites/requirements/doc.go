// Package requirements holds the promises of Kubernetes that cases check, one
// file per enhancement, in our words and with the place where each is made.
package requirements
