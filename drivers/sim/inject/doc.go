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

// Package inject converts an allocated ResourceClaim to a CDI spec with environment variables only. It writes no
// files and needs no API server.
//
// A container with a request of the claim sees
//
//	dratest_driver=<driver>
//	claim_<claim>_<request>=<device>[,<device>…]    allocated devices, in order
//	pool_<claim>_<request>=<pool>[,<pool>…]         their pools, in the same order
//	adminaccess_<claim>_<request>=true              only with admin access
//	user_<key>=<value>                              parameters from the claim
//	admin_<key>=<value>                             parameters from the class
//
// and the environment in the allocation's handle, if a controller of the driver made it.
//
// <claim> is the pod's name for the claim if known (annotation resource.kubernetes.io/pod-claim-name of generated
// claims), else the claim's own name; <request> is "request" or "request_subrequest". Other characters than letters
// and digits become underscores.
//
// Start with Claim.
package inject
