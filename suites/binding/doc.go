// Package binding has the cases for device binding conditions (KEP-5007): pods are bound only
// when their devices are ready, otherwise placed elsewhere. One case per file, named after
// the scenario.
//
// The test driver simulates the fabric: it sets no condition until a case scripts it.
package binding
