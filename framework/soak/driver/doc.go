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

// Package driver measures an installed driver under the load of a soak: the kubelets' calls and the resource use of its
// processes, through the proxies of dratest's agents. The measurements are judged by the limits in the vendor's
// declaration and by their growth.
//
// Sampler measures, Results and Judge are pure. Start with Sampler and Measured.
package driver
