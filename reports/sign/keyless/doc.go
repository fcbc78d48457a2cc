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

// Package keyless signs conformance reports with a certificate issued by Sigstore for an OpenID
// Connect token, for example in GitHub Actions, and verifies such signatures. A signature is a
// Sigstore bundle: the statement of package sign with certificate, transparency log entry and
// timestamp, verified offline with a trust root.
package keyless
