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

package harness

import (
	"cmp"
	"time"
)

// scaled is a time limit for a slow cluster; scale zero means 1.
func scaled(limit time.Duration, scale float64) time.Duration {
	return time.Duration(float64(limit) * cmp.Or(scale, 1))
}

const (
	// RemoveTimeout bounds the removal of pods and claims.
	RemoveTimeout = 60 * time.Second
	// GatherTimeout bounds the gathering of evidence.
	GatherTimeout = 30 * time.Second
	// cleanupTimeout bounds everything after a case.
	cleanupTimeout = RemoveTimeout + GatherTimeout + FinishTimeout + 10*time.Second
	// FinishTimeout bounds the final cleanup, even if all other time is used up.
	FinishTimeout = 20 * time.Second
	// slack is the time of a case to report its last wait when its time is up.
	slack = 10 * time.Second
)
