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

// Package html renders a report as report.html: one file that needs nothing else, with a
// page for each case and its timeline. The page's own parts are page.tmpl, style.css and
// page.js; docs/adr/0017 says why there is no library. How it behaves in a browser is tested
// by the module in web.
//
// Start with Render.
package html
