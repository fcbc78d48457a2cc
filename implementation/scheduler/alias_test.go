package scheduler

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

type (
	fwkKey  = fwk.StateKey
	fwkData = fwk.StateData
)

func podClaim(name string, claim *string) v1.PodResourceClaimStatus {
	return v1.PodResourceClaimStatus{Name: name, ResourceClaimName: claim}
}
