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

// Package run runs a plan on a testbed: probe, Ginkgo, journal, reports. "dratest run" and "go test ./suites -args
// -e2e" share it.
//
// The command, Ginkgo's command line and the suite are the same binary (Child), so a machine running cases needs
// neither Go nor Ginkgo. Start with Run and Parts; Suite is for the suites' test.
package run
