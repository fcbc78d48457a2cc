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

// Package access has the rights a run needs in an existing cluster: Rules lists them, for a ClusterRole, Certifying
// those of a certification, and Check finds missing ones of an account.
//
// "dratest prove access" (framework/prove/access) proves on a real cluster that none is missing and none is
// superfluous.
package access
