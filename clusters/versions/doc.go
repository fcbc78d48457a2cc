// Package versions is the table of Kubernetes versions that dratest can build
// clusters of. It is data only; clusters/images builds from it.
package versions
