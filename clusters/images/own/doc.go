// Package own finds or builds the programs of this project that run beside or
// below a cluster: the test driver dra-sim, the OCI runtime wrapper. Programs of
// others are built by clusters/images/modules. Start at Binary.
package own
