package scheduler

import (
	"errors"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

const leftOutKey fwk.StateKey = Name + "/left-out"

// leftOutClaims are the UIDs of claims that are another plugin's.
type leftOutClaims sets.Set[types.UID]

// Clone implements fwk.StateData.
func (c leftOutClaims) Clone() fwk.StateData { return c }

// LeaveOut has the plugin leave claims of a pod to another plugin, for one attempt to
// schedule it: this one neither allocates nor reserves nor deallocates them. It is called
// in PreFilter; the error says that this plugin's has run before.
func LeaveOut(cycle fwk.CycleState, claims sets.Set[types.UID]) error {
	if _, err := cycle.Read(attemptKey); err == nil {
		return errors.New("the plugin " + Name + " must come later among the PreFilter plugins of the profile")
	}
	cycle.Write(leftOutKey, leftOutClaims(claims))
	return nil
}

func leftOut(cycle fwk.CycleState) sets.Set[types.UID] {
	data, err := cycle.Read(leftOutKey)
	if err != nil {
		return nil
	}
	claims, _ := data.(leftOutClaims)
	return sets.Set[types.UID](claims)
}
