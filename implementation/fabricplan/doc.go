// Package fabricplan decides what the controller of a fabric has to do: which devices to
// publish as free, which to attach for claims and what to say of them there, and which
// to detach (KEP-5007, section "Composable Controller Design Overview").
//
// Devices of a fabric that are free are published as slots: so many of a model, without
// identity. A claim that gets a slot has a device attached, any one of the model. What
// happens then is the administrator's choice (Config.Reschedule):
//
//   - the pod is bound with its slot, and the driver on the node finds in the claim's
//     status which device that is (Attachment);
//   - or, as KEP-5007 has it for composable systems, binding is abandoned by a failure
//     condition once the driver on the node publishes the device as a local one, which
//     the pod is then scheduled to.
//
// PlanClaim is asked for each claim, PlanPools and PlanDetach are from time to time.
// An action that asks something (Attach, VerifyNode, VerifyClaims) has its answer put into the view,
// which is planned again. Planning from old objects is harmless: a fabric does what it
// is asked with the same key once, a claim is updated in the version that was planned
// for, and before a device is detached claims are read from the API server.
package fabricplan
