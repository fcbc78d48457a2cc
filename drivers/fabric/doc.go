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

// Package fabric simulates a composable fabric: several clusters share devices, and a manager attaches them to nodes
// and detaches them over an HTTP API. Requests take time and may fail, as scripted; devices appear, die and vanish.
//
// State is pure: it maps request, time and old state to the new state. The server keeps it in a file, so a killed
// fabric continues.
//
// Start with Server; the command is dra-fabric.
package fabric
