// Package plots draws what package perf has measured: ratios with their intervals,
// latencies, growth and the trend over several runs, as one HTML page that needs no
// network. It is pure: records go in, SVG and HTML come out.
//
// All can be told apart without colour: the reference is hollow or dashed, the candidate
// filled or solid.
//
// Start with Page.
package plots
