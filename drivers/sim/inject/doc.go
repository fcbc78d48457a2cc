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

// Package inject says what containers get to see of a prepared claim: it turns
// an allocated ResourceClaim into a CDI spec whose only edits are environment
// variables. It writes no files and asks no API server.
//
// A container that gets a request of the claim sees
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
// <claim> is the name that the pod uses for the claim where Kubernetes says so
// (annotation resource.kubernetes.io/pod-claim-name of generated claims), else
// the claim's own name; <request> is "request" or "request_subrequest". In both,
// what is no letter and no digit becomes an underscore.
//
// Start with Claim.
package inject
