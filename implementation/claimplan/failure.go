/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

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
