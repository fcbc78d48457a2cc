// Command dra-composable-controller stands between a fabric of devices, which several
// clusters share, and a cluster (KEP-5007): it publishes what is free, attaches devices
// for claims, and detaches what nobody uses.
//
// It is deployed with manifest.yaml, as a Deployment of the namespace kube-system with
// a service account and the permissions that it needs and no others. To be replaced there
// are the image, the driver's name, which is in a permission and a flag, the fabric's
// address, and the Secret with the token and the fabric's certificate authority.
//
// Outside of a cluster it needs --kubeconfig (and, to serve metrics,
// --authentication-kubeconfig and --authorization-kubeconfig). It elects a leader with
// the Lease kube-system/dra-composable-controller, or of the name that
// --leader-elect-resource-name tells where there are several fabrics, and serves
// /healthz, /livez, /readyz and /metrics with TLS on port 10269.
package main
