// Package suites lists all cases. Each area has a folder with one case per file and Cases(); requirements/ has the
// promises they check, catalogue.yaml the list of cases.
package suites
