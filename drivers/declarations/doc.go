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

// Package declarations reads what the vendor of a DRA driver says of it, driver.yaml:
// what it is called, how its devices are asked for, how a container tells that it has
// one, which features it has. It is read strictly, and Parse reports all problems at
// once, each with its line.
//
// It asks no cluster: what is declared is compared with what is there by
// framework/certify. The folders below are the declarations and manifests of drivers that
// dratest certifies itself (Shipped). Start with Declaration and Parse; driver.schema.json
// is made from the same types.
package declarations
