// Package reports makes the report of a run from its plan and outcomes (Build,
// pure) and writes its files (Write).
//
// What a report holds is in schema, how it looks in render/*. It knows neither
// clusters nor Ginkgo. Start with Build.
package reports
