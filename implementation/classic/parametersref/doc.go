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

// Package parametersref reads objects referenced by parametersRef in classes and claims of classic
// DRA: ConfigMaps, or any other kind, such as the driver's own. Drivers call it in
// Driver.Parameters and decode the objects themselves. There is no watch: objects are read for each
// allocation attempt (docs/adr/0021).
//
// The driver's service account needs get on each referenced kind, and nothing else: the API server
// rejects other kinds. Start at Reader.
package parametersref
