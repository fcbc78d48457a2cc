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

// Package proxy intercepts the kubelet's calls of any installed driver, to record them and inject faults.
//
// A kubelet calls the most recently registered instance of a driver (k8s.io/kubernetes v1.37.1,
// pkg/kubelet/cm/dra/plugin/dra_plugin_manager.go, get), as during a rolling update: the proxy registers as one, and
// forwards to the driver's own socket. It ends with the driver's process, so slices of a stopped driver are still
// removed.
//
// Start with Start.
package proxy
