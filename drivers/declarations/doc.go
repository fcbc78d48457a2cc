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

// Package declarations parses a vendor's declaration of a DRA driver, driver.yaml: its name, how to request its
// devices, how to detect a device in a container, its features. Parsing is strict, and Parse reports all problems at
// once, each with its line.
//
// framework/certify compares the declaration with the cluster. The directories below have the declarations and
// manifests of drivers certified by dratest itself (Shipped). Start with Declaration and Parse; driver.schema.json is
// generated from the same types.
package declarations
