// Package controller is the control plane half of a classic DRA driver, without what
// only the driver knows: that is a Driver with four methods. The controller watches
// claims, pods and what the scheduler asks (PodScheduling), decides with classicplan,
// and has the driver allocate, deallocate and say which nodes are unsuitable. Errors are
// tried again with back-off and told in events of the claim.
//
// All state is in objects; a controller that is killed anywhere is replaced by starting
// another one. Only one may run at a time: that is what Lead is for. Start at New.
//
// The account that it runs as needs: get, list, watch on pods, deviceclasses,
// resourceclaims, resourceclasses, podschedulings, classicclaims; update on
// resourceclaims, resourceclaims/status, resourceclaims/binding,
// podschedulings/status, classicclaims, classicclaims/status; create and delete on
// classicclaims; create and patch on events; what Lead needs of leases; and get on what the
// driver reads parameters from.
package controller
