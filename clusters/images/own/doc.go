// Package own finds or builds the programs of this project that run in, beside or
// below a cluster: its components, the test driver dra-sim, the OCI runtime wrapper.
// Programs of others are built by clusters/images/modules. Start at Find.
package own
