// Package components looks at the components of a running cluster through its
// API: which versions run, and what their pods log. It changes nothing.
// Start with Find and WriteLogs.
package components
