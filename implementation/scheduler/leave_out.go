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

package scheduler

import (
	"errors"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

const leftOutKey fwk.StateKey = Name + "/left-out"

// leftOutClaims are the UIDs of claims of other plugins.
type leftOutClaims sets.Set[types.UID]

// Clone implements fwk.StateData.
func (c leftOutClaims) Clone() fwk.StateData { return c }

// LeaveOut excludes claims of a pod for one scheduling attempt: this plugin neither allocates nor
// reserves nor deallocates them. Another plugin calls it in PreFilter. It fails if this plugin's
// PreFilter has already run.
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
