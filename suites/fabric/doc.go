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

// Package fabric holds the cases of devices shared by several clusters; a controller attaches them to
// nodes for pods (KEP-5007, section "Composable Controller Design Overview"). One case per file, named
// after its event.
//
// Each case runs a fabric and the controller dra-composable-controller on dratest's machine, and
// publishes the ResourceSlices of node drivers itself.
package fabric
