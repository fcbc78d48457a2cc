// Package declarations reads what the vendor of a DRA driver says of it, driver.yaml:
// what it is called, how its devices are asked for, how a container tells that it has
// one, which features it has. It is read strictly, and Parse reports all problems at
// once, each with its line.
//
// It asks no cluster: what is declared is compared with what is there by
// framework/certify. The folders below are the declarations and manifests of drivers that
// dratest certifies itself (Shipped). Start with Declaration and Parse; driver.schema.json
// is made from the same types.
package declarations
