package claimplan

import "fmt"

// ReasonFailedCreation is the reason of the warning event for a pod whose claims
// cannot be created.
const ReasonFailedCreation = "FailedResourceClaimCreation"

// failure is what PlanPod and CreationFailed say of one claim of a pod. Event and
// error are worded alike, so that one leads from one to the other.
func failure(view PodView, podClaim string, err error) Fail {
	text := fmt.Sprintf("PodResourceClaim %s: %v", podClaim, err)
	return Fail{
		Err:   fmt.Errorf("pod %s/%s, PodResourceClaim %s: %w", view.Pod.Namespace, view.Pod.Name, podClaim, err),
		Event: text,
		Retry: true,
	}
}

// CreationFailed turns the error of a CreateClaim into what the user gets to see.
func CreationFailed(view PodView, create CreateClaim, err error) Fail {
	return failure(view, create.PodClaim, fmt.Errorf("create ResourceClaim %s: %w", create.Claim.GenerateName, err))
}
