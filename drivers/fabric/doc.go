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

// Package fabric simulates what composable hardware stands behind: devices that several
// clusters share, and that a manager attaches to nodes and detaches again over an HTTP
// API. What is asked for takes time and may fail, as a script says; devices appear, die
// and vanish.
//
// State is pure: a request, a time and what there is go in, what there is then comes out.
// The server keeps it in a file, so that a fabric that was killed goes on.
//
// Start with Server, by hand with the command dra-fabric.
package fabric
