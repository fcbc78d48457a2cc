// Command dra-classic-driver is a classic DRA driver to try and to test with. "controller"
// is its half in the control plane, with the devices of classic/sampledriver; its half on
// nodes is dra-sim, which kubelet-plugin.yaml deploys: the module of that program has what
// talks to kubelets and writes CDI files. "simulate" says what pods that wait would get with
// more nodes, and "definitions" prints what the cluster needs.
//
// manifest.yaml deploys it with the least rights. Outside of a cluster it needs
// --kubeconfig. With --leader-elect it competes for the Lease of the driver's name in
// --namespace, and ends when it loses that.
package main
