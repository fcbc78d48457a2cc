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

package inventory

import (
	resourceapi "k8s.io/api/resource/v1"
)

// Device is one published device. It is immutable and shared by all pods and nodes. Its address is
// stable until its slice changes, so it can serve as a key.
type Device struct {
	ID    DeviceID
	Spec  *resourceapi.Device
	Slice *resourceapi.ResourceSlice
	// Content is the part visible to CEL selectors. Indistinguishable devices share one Content, also
	// across slices and nodes.
	Content *Content
	// Distance ranks how much work it takes to make the device available on a node.
	Distance Distance
}
