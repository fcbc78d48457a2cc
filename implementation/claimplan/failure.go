package claimplan

import "fmt"

// ReasonFailedCreation is the reason of a pod's warning event for failed claim creation.
const ReasonFailedCreation = "FailedResourceClaimCreation"

// failure is the Fail for one claim of a pod. Event and error share their wording, to lead from one
// to the other.
func failure(view PodView, podClaim string, err error) Fail {
	text := fmt.Sprintf("PodResourceClaim %s: %v", podClaim, err)
	return Fail{
		Err:   fmt.Errorf("pod %s/%s, PodResourceClaim %s: %w", view.Pod.Namespace, view.Pod.Name, podClaim, err),
		Event: text,
		Retry: true,
	}
}

// CreationFailed converts the error of a CreateClaim into a Fail for the user.
func CreationFailed(view PodView, create CreateClaim, err error) Fail {
	return failure(view, create.PodClaim, fmt.Errorf("create ResourceClaim %s: %w", create.Claim.GenerateName, err))
}
