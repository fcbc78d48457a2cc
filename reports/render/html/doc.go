// Package html renders a report as report.html: one file that needs nothing else, with a
// page for each case and its timeline. The page's own parts are page.tmpl, style.css and
// page.js; docs/adr/0017 says why there is no library. How it behaves in a browser is tested
// by the module in web.
//
// Start with Render.
package html
