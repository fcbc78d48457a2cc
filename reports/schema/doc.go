// Package schema holds the types of report.json, which other tools read. Within
// a schema version fields are only added; durations are in seconds.
package schema
